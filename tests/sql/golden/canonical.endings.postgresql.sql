-- ENDS
SELECT min(messages.expires_at) AS ends, min(CASE WHEN (messages.at < messages.observed_at) THEN messages.at
    ELSE messages.observed_at END + conversations.retain_us) AS kept, min(CASE WHEN (messages.at <
    messages.observed_at) THEN messages.at ELSE messages.observed_at END) AS said
FROM messages JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE messages.owner = %(s_owner)s::VARCHAR COLLATE "C" AND conversations.owner = %(s_owner)s::VARCHAR COLLATE
    "C" AND messages.id IN (__[POSTCOMPILE_p_messages]) UNION ALL SELECT min(messages.expires_at) AS ends,
    min(CASE WHEN (messages.at < messages.observed_at) THEN messages.at ELSE messages.observed_at END +
    conversations.retain_us) AS kept, min(CASE WHEN (messages.at < messages.observed_at) THEN messages.at ELSE
    messages.observed_at END) AS said
FROM note_sources JOIN messages ON messages.owner = note_sources.owner AND messages.id = note_sources.message
    JOIN conversations ON conversations.owner = messages.owner AND conversations.id = messages.conversation
WHERE note_sources.owner = %(s_owner)s::VARCHAR COLLATE "C" AND messages.owner = %(s_owner)s::VARCHAR COLLATE
    "C" AND conversations.owner = %(s_owner)s::VARCHAR COLLATE "C" AND note_sources.note IN
    (__[POSTCOMPILE_p_notes]) UNION ALL SELECT min(messages.expires_at) AS ends, min(CASE WHEN (messages.at <
    messages.observed_at) THEN messages.at ELSE messages.observed_at END + conversations.retain_us) AS kept,
    min(CASE WHEN (messages.at < messages.observed_at) THEN messages.at ELSE messages.observed_at END) AS said
FROM summary_sources JOIN messages ON messages.owner = summary_sources.owner AND messages.id =
    summary_sources.message JOIN conversations ON conversations.owner = messages.owner AND conversations.id =
    messages.conversation
WHERE summary_sources.owner = %(s_owner)s::VARCHAR COLLATE "C" AND messages.owner = %(s_owner)s::VARCHAR
    COLLATE "C" AND conversations.owner = %(s_owner)s::VARCHAR COLLATE "C" AND summary_sources.summary IN
    (__[POSTCOMPILE_p_summaries]) UNION ALL SELECT min(notes.expires_at) AS min_1, CAST(NULL AS BIGINT) AS
    anon_1, min(CASE WHEN (notes.at < notes.observed_at) THEN notes.at ELSE notes.observed_at END) AS min_2
FROM notes
WHERE notes.owner = %(s_owner)s::VARCHAR COLLATE "C" AND notes.id IN (__[POSTCOMPILE_p_notes]) UNION ALL
    SELECT min(summaries.expires_at) AS min_3, CAST(NULL AS BIGINT) AS anon_1, CAST(NULL AS BIGINT) AS anon__1
FROM summaries
WHERE summaries.owner = %(s_owner)s::VARCHAR COLLATE "C" AND summaries.id IN (__[POSTCOMPILE_p_summaries]);
