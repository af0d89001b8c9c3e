-- Resource tables, continued.

CREATE TABLE pages (
  pid text COLLATE "C" NOT NULL,
  page_id text COLLATE "C" NOT NULL,
  parent_id text COLLATE "C",
  name text,
  summary text,
  content text,
  created_at timestamptz,
  updated_at timestamptz,
  owner_uid text COLLATE "C",
  extra jsonb,
  valid_from timestamptz NOT NULL,
  deleted_at timestamptz,
  PRIMARY KEY (pid, page_id)
);
COMMENT ON TABLE pages IS 'Documents';
COMMENT ON COLUMN pages.pid IS 'project id';
COMMENT ON COLUMN pages.page_id IS 'document id';
COMMENT ON COLUMN pages.parent_id IS 'parent document id; null at the top level';
COMMENT ON COLUMN pages.name IS 'document name';
COMMENT ON COLUMN pages.summary IS 'document content';
COMMENT ON COLUMN pages.content IS 'content in markdown';
COMMENT ON COLUMN pages.created_at IS 'creation time';
COMMENT ON COLUMN pages.updated_at IS 'update time';
COMMENT ON COLUMN pages.owner_uid IS 'user id of the creator';
COMMENT ON COLUMN pages.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN pages.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN pages.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE TABLE page_watchers (
  pid text COLLATE "C" NOT NULL,
  page_id text COLLATE "C" NOT NULL,
  uid text COLLATE "C" NOT NULL,
  extra jsonb,
  valid_from timestamptz NOT NULL,
  deleted_at timestamptz,
  PRIMARY KEY (pid, page_id, uid)
);
COMMENT ON TABLE page_watchers IS 'Members watching documents';
COMMENT ON COLUMN page_watchers.pid IS 'project id';
COMMENT ON COLUMN page_watchers.page_id IS 'document id';
COMMENT ON COLUMN page_watchers.uid IS 'user id';
COMMENT ON COLUMN page_watchers.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN page_watchers.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN page_watchers.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE TABLE posts (
  pid text COLLATE "C" NOT NULL,
  post_id text COLLATE "C" NOT NULL,
  name text,
  summary text,
  content text,
  created_at timestamptz,
  updated_at timestamptz,
  owner_uid text COLLATE "C",
  extra jsonb,
  valid_from timestamptz NOT NULL,
  deleted_at timestamptz,
  PRIMARY KEY (pid, post_id)
);
COMMENT ON TABLE posts IS 'Discussion posts that are known; the service does not list them';
COMMENT ON COLUMN posts.pid IS 'project id';
COMMENT ON COLUMN posts.post_id IS 'post id';
COMMENT ON COLUMN posts.name IS 'title';
COMMENT ON COLUMN posts.summary IS 'content';
COMMENT ON COLUMN posts.content IS 'content in markdown';
COMMENT ON COLUMN posts.created_at IS 'creation time';
COMMENT ON COLUMN posts.updated_at IS 'update time';
COMMENT ON COLUMN posts.owner_uid IS 'user id of the creator';
COMMENT ON COLUMN posts.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN posts.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN posts.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE TABLE post_watchers (
  pid text COLLATE "C" NOT NULL,
  post_id text COLLATE "C" NOT NULL,
  uid text COLLATE "C" NOT NULL,
  extra jsonb,
  valid_from timestamptz NOT NULL,
  deleted_at timestamptz,
  PRIMARY KEY (pid, post_id, uid)
);
COMMENT ON TABLE post_watchers IS 'Members watching posts';
COMMENT ON COLUMN post_watchers.pid IS 'project id';
COMMENT ON COLUMN post_watchers.post_id IS 'post id';
COMMENT ON COLUMN post_watchers.uid IS 'user id';
COMMENT ON COLUMN post_watchers.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN post_watchers.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN post_watchers.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE TABLE post_comments (
  pid text COLLATE "C" NOT NULL,
  post_id text COLLATE "C" NOT NULL,
  cid text COLLATE "C" NOT NULL,
  message text,
  raw_message text,
  type smallint,
  format smallint,
  owner_uid text COLLATE "C",
  created_at timestamptz,
  extra jsonb,
  valid_from timestamptz NOT NULL,
  deleted_at timestamptz,
  PRIMARY KEY (pid, post_id, cid)
);
COMMENT ON TABLE post_comments IS 'Comments of posts';
COMMENT ON COLUMN post_comments.pid IS 'project id';
COMMENT ON COLUMN post_comments.post_id IS 'post id';
COMMENT ON COLUMN post_comments.cid IS 'comment id';
COMMENT ON COLUMN post_comments.message IS 'content';
COMMENT ON COLUMN post_comments.raw_message IS 'content in markdown';
COMMENT ON COLUMN post_comments.type IS 'kind of content: 1 = text, 2 = emotion, 3 = audio';
COMMENT ON COLUMN post_comments.format IS 'format of the content: 1 = text, 2 = html';
COMMENT ON COLUMN post_comments.owner_uid IS 'user id of the author';
COMMENT ON COLUMN post_comments.created_at IS 'comment time';
COMMENT ON COLUMN post_comments.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN post_comments.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN post_comments.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE TABLE files (
  pid text COLLATE "C" NOT NULL,
  fid text COLLATE "C" NOT NULL,
  name text,
  description text,
  size_bytes bigint,
  path text,
  folder_id text COLLATE "C",
  type smallint,
  created_at timestamptz,
  updated_at timestamptz,
  owner_uid text COLLATE "C",
  extra jsonb,
  valid_from timestamptz NOT NULL,
  deleted_at timestamptz,
  PRIMARY KEY (pid, fid)
);
COMMENT ON TABLE files IS 'Files and folders that are known; the service does not list them';
COMMENT ON COLUMN files.pid IS 'project id';
COMMENT ON COLUMN files.fid IS 'file id';
COMMENT ON COLUMN files.name IS 'name';
COMMENT ON COLUMN files.description IS 'description';
COMMENT ON COLUMN files.size_bytes IS 'size in bytes';
COMMENT ON COLUMN files.path IS 'path';
COMMENT ON COLUMN files.folder_id IS 'parent folder id; null at the top';
COMMENT ON COLUMN files.type IS 'kind: 0 = file, 1 = folder';
COMMENT ON COLUMN files.created_at IS 'upload time';
COMMENT ON COLUMN files.updated_at IS 'update time';
COMMENT ON COLUMN files.owner_uid IS 'user id of the uploader';
COMMENT ON COLUMN files.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN files.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN files.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE TABLE file_watchers (
  pid text COLLATE "C" NOT NULL,
  fid text COLLATE "C" NOT NULL,
  uid text COLLATE "C" NOT NULL,
  extra jsonb,
  valid_from timestamptz NOT NULL,
  deleted_at timestamptz,
  PRIMARY KEY (pid, fid, uid)
);
COMMENT ON TABLE file_watchers IS 'Members watching files';
COMMENT ON COLUMN file_watchers.pid IS 'project id';
COMMENT ON COLUMN file_watchers.fid IS 'file id';
COMMENT ON COLUMN file_watchers.uid IS 'user id';
COMMENT ON COLUMN file_watchers.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN file_watchers.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN file_watchers.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE TABLE file_comments (
  pid text COLLATE "C" NOT NULL,
  fid text COLLATE "C" NOT NULL,
  cid text COLLATE "C" NOT NULL,
  message text,
  raw_message text,
  type smallint,
  format smallint,
  owner_uid text COLLATE "C",
  created_at timestamptz,
  extra jsonb,
  valid_from timestamptz NOT NULL,
  deleted_at timestamptz,
  PRIMARY KEY (pid, fid, cid)
);
COMMENT ON TABLE file_comments IS 'Comments of files';
COMMENT ON COLUMN file_comments.pid IS 'project id';
COMMENT ON COLUMN file_comments.fid IS 'file id';
COMMENT ON COLUMN file_comments.cid IS 'comment id';
COMMENT ON COLUMN file_comments.message IS 'content';
COMMENT ON COLUMN file_comments.raw_message IS 'content in markdown';
COMMENT ON COLUMN file_comments.type IS 'kind of content: 1 = text, 2 = emotion, 3 = audio';
COMMENT ON COLUMN file_comments.format IS 'format of the content: 1 = text, 2 = html';
COMMENT ON COLUMN file_comments.owner_uid IS 'user id of the author';
COMMENT ON COLUMN file_comments.created_at IS 'comment time';
COMMENT ON COLUMN file_comments.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN file_comments.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN file_comments.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE TABLE comment_files (
  pid text COLLATE "C" NOT NULL,
  cid text COLLATE "C" NOT NULL,
  fid text COLLATE "C" NOT NULL,
  name text,
  description text,
  size_bytes bigint,
  path text,
  folder_id text COLLATE "C",
  extra jsonb,
  valid_from timestamptz NOT NULL,
  deleted_at timestamptz,
  PRIMARY KEY (pid, cid, fid)
);
COMMENT ON TABLE comment_files IS 'Files attached to comments; a file that is only named by its id has no more than that';
COMMENT ON COLUMN comment_files.pid IS 'project id';
COMMENT ON COLUMN comment_files.cid IS 'comment id';
COMMENT ON COLUMN comment_files.fid IS 'file id';
COMMENT ON COLUMN comment_files.name IS 'file name';
COMMENT ON COLUMN comment_files.description IS 'file description';
COMMENT ON COLUMN comment_files.size_bytes IS 'size in bytes';
COMMENT ON COLUMN comment_files.path IS 'file path';
COMMENT ON COLUMN comment_files.folder_id IS 'containing folder id; null at the top';
COMMENT ON COLUMN comment_files.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN comment_files.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN comment_files.deleted_at IS 'start of the run that found it gone; null while it exists';
