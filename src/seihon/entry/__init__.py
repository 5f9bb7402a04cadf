"""Ways in. Settings are read here and nowhere else; what they mean is decided below."""
