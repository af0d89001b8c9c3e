-- Attachments of tasks name files too.
COMMENT ON COLUMN known_files.source IS 'where it was first found: in a text of a page, task, event or post, or of a comment (comment_text), or in a field of a comment (comment), of a task (attachment) or of another file (folder)';
