-- Which place showed the stored version of each user: only there a value that is missing now was emptied.
CREATE TABLE user_places (
  uid text COLLATE "C" PRIMARY KEY,
  pid text COLLATE "C" NOT NULL,
  place text NOT NULL
);
COMMENT ON TABLE user_places IS 'A place that showed the stored version of each user when it was last read; without a row, none is known';
COMMENT ON COLUMN user_places.uid IS 'user id';
COMMENT ON COLUMN user_places.pid IS 'project id';
COMMENT ON COLUMN user_places.place IS 'table whose records showed the user: projects, tasks, pages, posts, files or events';

-- Attachments of tasks name files too.
COMMENT ON COLUMN known_files.source IS 'where it was first found: in a text of a page, task, event or post, or of a comment (comment_text), or in a field of a comment (comment), of a task (attachment) or of another file (folder)';
