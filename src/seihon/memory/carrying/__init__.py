"""How an owner's memory is carried: lines in, an export out, and a migration from one life into another."""
