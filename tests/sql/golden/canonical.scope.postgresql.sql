-- ADD_CHANGES
INSERT INTO changes (owner, revision, ordinal, at, turn, kind, key, actor, reason) VALUES (%(owner)s::VARCHAR
    COLLATE "C", %(revision)s::BIGINT, %(ordinal)s::BIGINT, %(at)s::BIGINT, %(turn)s::BIGINT,
    %(kind)s::VARCHAR COLLATE "C", %(key)s::VARCHAR COLLATE "C", %(actor)s::VARCHAR COLLATE "C",
    %(reason)s::VARCHAR COLLATE "C");
