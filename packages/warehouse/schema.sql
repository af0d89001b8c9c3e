-- The schema of a new warehouse, to be read and compared. Made from the migrations: pnpm --filter @collab-etl/warehouse schema:dump

CREATE SCHEMA collab;

COMMENT ON SCHEMA collab IS 'Warehouse of collab-etl: tables as the last run left them, with deleted rows; views live_… of existing rows only; view changes; models for analysts (fct_…, dim_…); the run log';

CREATE SCHEMA collab_history;

COMMENT ON SCHEMA collab_history IS 'superseded and deleted versions of the rows of collab';

CREATE FUNCTION collab.changes_between(since timestamp with time zone, until timestamp with time zone) RETURNS TABLE(table_name text, pid text, key jsonb, change text, columns text[], old_values jsonb, new_values jsonb, table_number integer)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$ SELECT 
      v.table_name,
      v.pid,
      v.key,
      CASE WHEN v.old_values IS NULL THEN 'added' WHEN v.new_values IS NULL THEN 'deleted' ELSE 'changed' END AS change,
      d.columns,
      coalesce(d.old_values, v.old_values) AS old_values,
      coalesce(d.new_values, v.new_values) AS new_values,
      v.table_number FROM (
      SELECT 1 AS table_number, 'projects' AS table_name, pid AS pid, jsonb_build_object('pid', pid) AS key, old_values, new_values
      FROM (
        SELECT pid, (array_agg(row_values) FILTER (WHERE NOT is_new))[1] AS old_values,
          (array_agg(row_values) FILTER (WHERE is_new))[1] AS new_values
        FROM (
          SELECT pid, true AS is_new, jsonb_build_object('name', name, 'description', description, 'archived', archived, 'pic', pic, 'bg', bg, 'visibility', visibility, 'team_id', team_id, 'is_starred', is_starred, 'position', "position", 'member_count', member_count, 'curr_role', curr_role, 'permission', permission, 'created_by_uid', created_by_uid, 'extra', extra, 'unlisted_since', unlisted_since) AS row_values
            FROM collab.projects WHERE deleted_at IS NULL AND valid_from > $1 AND valid_from <= $2
          UNION ALL SELECT pid, true, jsonb_build_object('name', name, 'description', description, 'archived', archived, 'pic', pic, 'bg', bg, 'visibility', visibility, 'team_id', team_id, 'is_starred', is_starred, 'position', "position", 'member_count', member_count, 'curr_role', curr_role, 'permission', permission, 'created_by_uid', created_by_uid, 'extra', extra, 'unlisted_since', unlisted_since) FROM collab_history.projects
            WHERE valid_from > $1 AND valid_from <= $2 AND valid_to > $2
          UNION ALL SELECT pid, false, jsonb_build_object('name', name, 'description', description, 'archived', archived, 'pic', pic, 'bg', bg, 'visibility', visibility, 'team_id', team_id, 'is_starred', is_starred, 'position', "position", 'member_count', member_count, 'curr_role', curr_role, 'permission', permission, 'created_by_uid', created_by_uid, 'extra', extra, 'unlisted_since', unlisted_since) FROM collab_history.projects
            WHERE valid_to > $1 AND valid_to <= $2 AND valid_from <= $1
        ) AS version
        GROUP BY pid
      ) AS record UNION ALL 
      SELECT 2 AS table_number, 'project_labels' AS table_name, pid AS pid, jsonb_build_object('pid', pid, 'name', name) AS key, old_values, new_values
      FROM (
        SELECT pid, name, (array_agg(row_values) FILTER (WHERE NOT is_new))[1] AS old_values,
          (array_agg(row_values) FILTER (WHERE is_new))[1] AS new_values
        FROM (
          SELECT pid, name, true AS is_new, jsonb_build_object('description', description, 'extra', extra) AS row_values
            FROM collab.project_labels WHERE deleted_at IS NULL AND valid_from > $1 AND valid_from <= $2
          UNION ALL SELECT pid, name, true, jsonb_build_object('description', description, 'extra', extra) FROM collab_history.project_labels
            WHERE valid_from > $1 AND valid_from <= $2 AND valid_to > $2
          UNION ALL SELECT pid, name, false, jsonb_build_object('description', description, 'extra', extra) FROM collab_history.project_labels
            WHERE valid_to > $1 AND valid_to <= $2 AND valid_from <= $1
        ) AS version
        GROUP BY pid, name
      ) AS record UNION ALL 
      SELECT 3 AS table_number, 'users' AS table_name, NULL AS pid, jsonb_build_object('uid', uid) AS key, old_values, new_values
      FROM (
        SELECT uid, (array_agg(row_values) FILTER (WHERE NOT is_new))[1] AS old_values,
          (array_agg(row_values) FILTER (WHERE is_new))[1] AS new_values
        FROM (
          SELECT uid, true AS is_new, jsonb_build_object('name', name, 'display_name', display_name, 'avatar', avatar, 'description', description, 'status', status, 'online', online, 'extra', extra) AS row_values
            FROM collab.users WHERE deleted_at IS NULL AND valid_from > $1 AND valid_from <= $2
          UNION ALL SELECT uid, true, jsonb_build_object('name', name, 'display_name', display_name, 'avatar', avatar, 'description', description, 'status', status, 'online', online, 'extra', extra) FROM collab_history.users
            WHERE valid_from > $1 AND valid_from <= $2 AND valid_to > $2
          UNION ALL SELECT uid, false, jsonb_build_object('name', name, 'display_name', display_name, 'avatar', avatar, 'description', description, 'status', status, 'online', online, 'extra', extra) FROM collab_history.users
            WHERE valid_to > $1 AND valid_to <= $2 AND valid_from <= $1
        ) AS version
        GROUP BY uid
      ) AS record UNION ALL 
      SELECT 4 AS table_number, 'entries' AS table_name, pid AS pid, jsonb_build_object('pid', pid, 'entry_id', entry_id) AS key, old_values, new_values
      FROM (
        SELECT pid, entry_id, (array_agg(row_values) FILTER (WHERE NOT is_new))[1] AS old_values,
          (array_agg(row_values) FILTER (WHERE is_new))[1] AS new_values
        FROM (
          SELECT pid, entry_id, true AS is_new, jsonb_build_object('name', name, 'extra', extra) AS row_values
            FROM collab.entries WHERE deleted_at IS NULL AND valid_from > $1 AND valid_from <= $2
          UNION ALL SELECT pid, entry_id, true, jsonb_build_object('name', name, 'extra', extra) FROM collab_history.entries
            WHERE valid_from > $1 AND valid_from <= $2 AND valid_to > $2
          UNION ALL SELECT pid, entry_id, false, jsonb_build_object('name', name, 'extra', extra) FROM collab_history.entries
            WHERE valid_to > $1 AND valid_to <= $2 AND valid_from <= $1
        ) AS version
        GROUP BY pid, entry_id
      ) AS record UNION ALL 
      SELECT 5 AS table_number, 'tasks' AS table_name, pid AS pid, jsonb_build_object('pid', pid, 'tid', tid) AS key, old_values, new_values
      FROM (
        SELECT pid, tid, (array_agg(row_values) FILTER (WHERE NOT is_new))[1] AS old_values,
          (array_agg(row_values) FILTER (WHERE is_new))[1] AS new_values
        FROM (
          SELECT pid, tid, true AS is_new, jsonb_build_object('entry_id', entry_id, 'name', name, 'description', description, 'position', "position", 'completed', completed, 'completed_at', completed_at, 'due_at', due_at, 'created_at', created_at, 'updated_at', updated_at, 'archived', archived, 'comment_count', comment_count, 'todo_count', todo_count, 'todo_checked_count', todo_checked_count, 'file_count', file_count, 'extra', extra) AS row_values
            FROM collab.tasks WHERE deleted_at IS NULL AND valid_from > $1 AND valid_from <= $2
          UNION ALL SELECT pid, tid, true, jsonb_build_object('entry_id', entry_id, 'name', name, 'description', description, 'position', "position", 'completed', completed, 'completed_at', completed_at, 'due_at', due_at, 'created_at', created_at, 'updated_at', updated_at, 'archived', archived, 'comment_count', comment_count, 'todo_count', todo_count, 'todo_checked_count', todo_checked_count, 'file_count', file_count, 'extra', extra) FROM collab_history.tasks
            WHERE valid_from > $1 AND valid_from <= $2 AND valid_to > $2
          UNION ALL SELECT pid, tid, false, jsonb_build_object('entry_id', entry_id, 'name', name, 'description', description, 'position', "position", 'completed', completed, 'completed_at', completed_at, 'due_at', due_at, 'created_at', created_at, 'updated_at', updated_at, 'archived', archived, 'comment_count', comment_count, 'todo_count', todo_count, 'todo_checked_count', todo_checked_count, 'file_count', file_count, 'extra', extra) FROM collab_history.tasks
            WHERE valid_to > $1 AND valid_to <= $2 AND valid_from <= $1
        ) AS version
        GROUP BY pid, tid
      ) AS record UNION ALL 
      SELECT 6 AS table_number, 'task_labels' AS table_name, pid AS pid, jsonb_build_object('pid', pid, 'tid', tid, 'name', name) AS key, old_values, new_values
      FROM (
        SELECT pid, tid, name, (array_agg(row_values) FILTER (WHERE NOT is_new))[1] AS old_values,
          (array_agg(row_values) FILTER (WHERE is_new))[1] AS new_values
        FROM (
          SELECT pid, tid, name, true AS is_new, jsonb_build_object('description', description, 'extra', extra) AS row_values
            FROM collab.task_labels WHERE deleted_at IS NULL AND valid_from > $1 AND valid_from <= $2
          UNION ALL SELECT pid, tid, name, true, jsonb_build_object('description', description, 'extra', extra) FROM collab_history.task_labels
            WHERE valid_from > $1 AND valid_from <= $2 AND valid_to > $2
          UNION ALL SELECT pid, tid, name, false, jsonb_build_object('description', description, 'extra', extra) FROM collab_history.task_labels
            WHERE valid_to > $1 AND valid_to <= $2 AND valid_from <= $1
        ) AS version
        GROUP BY pid, tid, name
      ) AS record UNION ALL 
      SELECT 7 AS table_number, 'task_todos' AS table_name, pid AS pid, jsonb_build_object('pid', pid, 'tid', tid, 'todo_id', todo_id) AS key, old_values, new_values
      FROM (
        SELECT pid, tid, todo_id, (array_agg(row_values) FILTER (WHERE NOT is_new))[1] AS old_values,
          (array_agg(row_values) FILTER (WHERE is_new))[1] AS new_values
        FROM (
          SELECT pid, tid, todo_id, true AS is_new, jsonb_build_object('name', name, 'checked', checked, 'position', "position", 'extra', extra) AS row_values
            FROM collab.task_todos WHERE deleted_at IS NULL AND valid_from > $1 AND valid_from <= $2
          UNION ALL SELECT pid, tid, todo_id, true, jsonb_build_object('name', name, 'checked', checked, 'position', "position", 'extra', extra) FROM collab_history.task_todos
            WHERE valid_from > $1 AND valid_from <= $2 AND valid_to > $2
          UNION ALL SELECT pid, tid, todo_id, false, jsonb_build_object('name', name, 'checked', checked, 'position', "position", 'extra', extra) FROM collab_history.task_todos
            WHERE valid_to > $1 AND valid_to <= $2 AND valid_from <= $1
        ) AS version
        GROUP BY pid, tid, todo_id
      ) AS record UNION ALL 
      SELECT 8 AS table_number, 'task_members' AS table_name, pid AS pid, jsonb_build_object('pid', pid, 'tid', tid, 'uid', uid) AS key, old_values, new_values
      FROM (
        SELECT pid, tid, uid, (array_agg(row_values) FILTER (WHERE NOT is_new))[1] AS old_values,
          (array_agg(row_values) FILTER (WHERE is_new))[1] AS new_values
        FROM (
          SELECT pid, tid, uid, true AS is_new, jsonb_build_object('extra', extra) AS row_values
            FROM collab.task_members WHERE deleted_at IS NULL AND valid_from > $1 AND valid_from <= $2
          UNION ALL SELECT pid, tid, uid, true, jsonb_build_object('extra', extra) FROM collab_history.task_members
            WHERE valid_from > $1 AND valid_from <= $2 AND valid_to > $2
          UNION ALL SELECT pid, tid, uid, false, jsonb_build_object('extra', extra) FROM collab_history.task_members
            WHERE valid_to > $1 AND valid_to <= $2 AND valid_from <= $1
        ) AS version
        GROUP BY pid, tid, uid
      ) AS record UNION ALL 
      SELECT 9 AS table_number, 'task_watchers' AS table_name, pid AS pid, jsonb_build_object('pid', pid, 'tid', tid, 'uid', uid) AS key, old_values, new_values
      FROM (
        SELECT pid, tid, uid, (array_agg(row_values) FILTER (WHERE NOT is_new))[1] AS old_values,
          (array_agg(row_values) FILTER (WHERE is_new))[1] AS new_values
        FROM (
          SELECT pid, tid, uid, true AS is_new, jsonb_build_object('extra', extra) AS row_values
            FROM collab.task_watchers WHERE deleted_at IS NULL AND valid_from > $1 AND valid_from <= $2
          UNION ALL SELECT pid, tid, uid, true, jsonb_build_object('extra', extra) FROM collab_history.task_watchers
            WHERE valid_from > $1 AND valid_from <= $2 AND valid_to > $2
          UNION ALL SELECT pid, tid, uid, false, jsonb_build_object('extra', extra) FROM collab_history.task_watchers
            WHERE valid_to > $1 AND valid_to <= $2 AND valid_from <= $1
        ) AS version
        GROUP BY pid, tid, uid
      ) AS record UNION ALL 
      SELECT 10 AS table_number, 'pages' AS table_name, pid AS pid, jsonb_build_object('pid', pid, 'page_id', page_id) AS key, old_values, new_values
      FROM (
        SELECT pid, page_id, (array_agg(row_values) FILTER (WHERE NOT is_new))[1] AS old_values,
          (array_agg(row_values) FILTER (WHERE is_new))[1] AS new_values
        FROM (
          SELECT pid, page_id, true AS is_new, jsonb_build_object('parent_id', parent_id, 'name', name, 'summary', summary, 'content', content, 'created_at', created_at, 'updated_at', updated_at, 'owner_uid', owner_uid, 'extra', extra) AS row_values
            FROM collab.pages WHERE deleted_at IS NULL AND valid_from > $1 AND valid_from <= $2
          UNION ALL SELECT pid, page_id, true, jsonb_build_object('parent_id', parent_id, 'name', name, 'summary', summary, 'content', content, 'created_at', created_at, 'updated_at', updated_at, 'owner_uid', owner_uid, 'extra', extra) FROM collab_history.pages
            WHERE valid_from > $1 AND valid_from <= $2 AND valid_to > $2
          UNION ALL SELECT pid, page_id, false, jsonb_build_object('parent_id', parent_id, 'name', name, 'summary', summary, 'content', content, 'created_at', created_at, 'updated_at', updated_at, 'owner_uid', owner_uid, 'extra', extra) FROM collab_history.pages
            WHERE valid_to > $1 AND valid_to <= $2 AND valid_from <= $1
        ) AS version
        GROUP BY pid, page_id
      ) AS record UNION ALL 
      SELECT 11 AS table_number, 'page_watchers' AS table_name, pid AS pid, jsonb_build_object('pid', pid, 'page_id', page_id, 'uid', uid) AS key, old_values, new_values
      FROM (
        SELECT pid, page_id, uid, (array_agg(row_values) FILTER (WHERE NOT is_new))[1] AS old_values,
          (array_agg(row_values) FILTER (WHERE is_new))[1] AS new_values
        FROM (
          SELECT pid, page_id, uid, true AS is_new, jsonb_build_object('extra', extra) AS row_values
            FROM collab.page_watchers WHERE deleted_at IS NULL AND valid_from > $1 AND valid_from <= $2
          UNION ALL SELECT pid, page_id, uid, true, jsonb_build_object('extra', extra) FROM collab_history.page_watchers
            WHERE valid_from > $1 AND valid_from <= $2 AND valid_to > $2
          UNION ALL SELECT pid, page_id, uid, false, jsonb_build_object('extra', extra) FROM collab_history.page_watchers
            WHERE valid_to > $1 AND valid_to <= $2 AND valid_from <= $1
        ) AS version
        GROUP BY pid, page_id, uid
      ) AS record UNION ALL 
      SELECT 12 AS table_number, 'posts' AS table_name, pid AS pid, jsonb_build_object('pid', pid, 'post_id', post_id) AS key, old_values, new_values
      FROM (
        SELECT pid, post_id, (array_agg(row_values) FILTER (WHERE NOT is_new))[1] AS old_values,
          (array_agg(row_values) FILTER (WHERE is_new))[1] AS new_values
        FROM (
          SELECT pid, post_id, true AS is_new, jsonb_build_object('name', name, 'summary', summary, 'content', content, 'created_at', created_at, 'updated_at', updated_at, 'owner_uid', owner_uid, 'extra', extra) AS row_values
            FROM collab.posts WHERE deleted_at IS NULL AND valid_from > $1 AND valid_from <= $2
          UNION ALL SELECT pid, post_id, true, jsonb_build_object('name', name, 'summary', summary, 'content', content, 'created_at', created_at, 'updated_at', updated_at, 'owner_uid', owner_uid, 'extra', extra) FROM collab_history.posts
            WHERE valid_from > $1 AND valid_from <= $2 AND valid_to > $2
          UNION ALL SELECT pid, post_id, false, jsonb_build_object('name', name, 'summary', summary, 'content', content, 'created_at', created_at, 'updated_at', updated_at, 'owner_uid', owner_uid, 'extra', extra) FROM collab_history.posts
            WHERE valid_to > $1 AND valid_to <= $2 AND valid_from <= $1
        ) AS version
        GROUP BY pid, post_id
      ) AS record UNION ALL 
      SELECT 13 AS table_number, 'post_watchers' AS table_name, pid AS pid, jsonb_build_object('pid', pid, 'post_id', post_id, 'uid', uid) AS key, old_values, new_values
      FROM (
        SELECT pid, post_id, uid, (array_agg(row_values) FILTER (WHERE NOT is_new))[1] AS old_values,
          (array_agg(row_values) FILTER (WHERE is_new))[1] AS new_values
        FROM (
          SELECT pid, post_id, uid, true AS is_new, jsonb_build_object('extra', extra) AS row_values
            FROM collab.post_watchers WHERE deleted_at IS NULL AND valid_from > $1 AND valid_from <= $2
          UNION ALL SELECT pid, post_id, uid, true, jsonb_build_object('extra', extra) FROM collab_history.post_watchers
            WHERE valid_from > $1 AND valid_from <= $2 AND valid_to > $2
          UNION ALL SELECT pid, post_id, uid, false, jsonb_build_object('extra', extra) FROM collab_history.post_watchers
            WHERE valid_to > $1 AND valid_to <= $2 AND valid_from <= $1
        ) AS version
        GROUP BY pid, post_id, uid
      ) AS record UNION ALL 
      SELECT 14 AS table_number, 'post_comments' AS table_name, pid AS pid, jsonb_build_object('pid', pid, 'post_id', post_id, 'cid', cid) AS key, old_values, new_values
      FROM (
        SELECT pid, post_id, cid, (array_agg(row_values) FILTER (WHERE NOT is_new))[1] AS old_values,
          (array_agg(row_values) FILTER (WHERE is_new))[1] AS new_values
        FROM (
          SELECT pid, post_id, cid, true AS is_new, jsonb_build_object('message', message, 'raw_message', raw_message, 'type', type, 'format', format, 'owner_uid', owner_uid, 'created_at', created_at, 'extra', extra) AS row_values
            FROM collab.post_comments WHERE deleted_at IS NULL AND valid_from > $1 AND valid_from <= $2
          UNION ALL SELECT pid, post_id, cid, true, jsonb_build_object('message', message, 'raw_message', raw_message, 'type', type, 'format', format, 'owner_uid', owner_uid, 'created_at', created_at, 'extra', extra) FROM collab_history.post_comments
            WHERE valid_from > $1 AND valid_from <= $2 AND valid_to > $2
          UNION ALL SELECT pid, post_id, cid, false, jsonb_build_object('message', message, 'raw_message', raw_message, 'type', type, 'format', format, 'owner_uid', owner_uid, 'created_at', created_at, 'extra', extra) FROM collab_history.post_comments
            WHERE valid_to > $1 AND valid_to <= $2 AND valid_from <= $1
        ) AS version
        GROUP BY pid, post_id, cid
      ) AS record UNION ALL 
      SELECT 15 AS table_number, 'files' AS table_name, pid AS pid, jsonb_build_object('pid', pid, 'fid', fid) AS key, old_values, new_values
      FROM (
        SELECT pid, fid, (array_agg(row_values) FILTER (WHERE NOT is_new))[1] AS old_values,
          (array_agg(row_values) FILTER (WHERE is_new))[1] AS new_values
        FROM (
          SELECT pid, fid, true AS is_new, jsonb_build_object('name', name, 'description', description, 'size_bytes', size_bytes, 'path', path, 'folder_id', folder_id, 'type', type, 'created_at', created_at, 'updated_at', updated_at, 'owner_uid', owner_uid, 'extra', extra) AS row_values
            FROM collab.files WHERE deleted_at IS NULL AND valid_from > $1 AND valid_from <= $2
          UNION ALL SELECT pid, fid, true, jsonb_build_object('name', name, 'description', description, 'size_bytes', size_bytes, 'path', path, 'folder_id', folder_id, 'type', type, 'created_at', created_at, 'updated_at', updated_at, 'owner_uid', owner_uid, 'extra', extra) FROM collab_history.files
            WHERE valid_from > $1 AND valid_from <= $2 AND valid_to > $2
          UNION ALL SELECT pid, fid, false, jsonb_build_object('name', name, 'description', description, 'size_bytes', size_bytes, 'path', path, 'folder_id', folder_id, 'type', type, 'created_at', created_at, 'updated_at', updated_at, 'owner_uid', owner_uid, 'extra', extra) FROM collab_history.files
            WHERE valid_to > $1 AND valid_to <= $2 AND valid_from <= $1
        ) AS version
        GROUP BY pid, fid
      ) AS record UNION ALL 
      SELECT 16 AS table_number, 'file_watchers' AS table_name, pid AS pid, jsonb_build_object('pid', pid, 'fid', fid, 'uid', uid) AS key, old_values, new_values
      FROM (
        SELECT pid, fid, uid, (array_agg(row_values) FILTER (WHERE NOT is_new))[1] AS old_values,
          (array_agg(row_values) FILTER (WHERE is_new))[1] AS new_values
        FROM (
          SELECT pid, fid, uid, true AS is_new, jsonb_build_object('extra', extra) AS row_values
            FROM collab.file_watchers WHERE deleted_at IS NULL AND valid_from > $1 AND valid_from <= $2
          UNION ALL SELECT pid, fid, uid, true, jsonb_build_object('extra', extra) FROM collab_history.file_watchers
            WHERE valid_from > $1 AND valid_from <= $2 AND valid_to > $2
          UNION ALL SELECT pid, fid, uid, false, jsonb_build_object('extra', extra) FROM collab_history.file_watchers
            WHERE valid_to > $1 AND valid_to <= $2 AND valid_from <= $1
        ) AS version
        GROUP BY pid, fid, uid
      ) AS record UNION ALL 
      SELECT 17 AS table_number, 'file_comments' AS table_name, pid AS pid, jsonb_build_object('pid', pid, 'fid', fid, 'cid', cid) AS key, old_values, new_values
      FROM (
        SELECT pid, fid, cid, (array_agg(row_values) FILTER (WHERE NOT is_new))[1] AS old_values,
          (array_agg(row_values) FILTER (WHERE is_new))[1] AS new_values
        FROM (
          SELECT pid, fid, cid, true AS is_new, jsonb_build_object('message', message, 'raw_message', raw_message, 'type', type, 'format', format, 'owner_uid', owner_uid, 'created_at', created_at, 'extra', extra) AS row_values
            FROM collab.file_comments WHERE deleted_at IS NULL AND valid_from > $1 AND valid_from <= $2
          UNION ALL SELECT pid, fid, cid, true, jsonb_build_object('message', message, 'raw_message', raw_message, 'type', type, 'format', format, 'owner_uid', owner_uid, 'created_at', created_at, 'extra', extra) FROM collab_history.file_comments
            WHERE valid_from > $1 AND valid_from <= $2 AND valid_to > $2
          UNION ALL SELECT pid, fid, cid, false, jsonb_build_object('message', message, 'raw_message', raw_message, 'type', type, 'format', format, 'owner_uid', owner_uid, 'created_at', created_at, 'extra', extra) FROM collab_history.file_comments
            WHERE valid_to > $1 AND valid_to <= $2 AND valid_from <= $1
        ) AS version
        GROUP BY pid, fid, cid
      ) AS record UNION ALL 
      SELECT 18 AS table_number, 'comment_files' AS table_name, pid AS pid, jsonb_build_object('pid', pid, 'parent_kind', parent_kind, 'parent_id', parent_id, 'cid', cid, 'fid', fid) AS key, old_values, new_values
      FROM (
        SELECT pid, parent_kind, parent_id, cid, fid, (array_agg(row_values) FILTER (WHERE NOT is_new))[1] AS old_values,
          (array_agg(row_values) FILTER (WHERE is_new))[1] AS new_values
        FROM (
          SELECT pid, parent_kind, parent_id, cid, fid, true AS is_new, jsonb_build_object('name', name, 'description', description, 'size_bytes', size_bytes, 'path', path, 'folder_id', folder_id, 'extra', extra) AS row_values
            FROM collab.comment_files WHERE deleted_at IS NULL AND valid_from > $1 AND valid_from <= $2
          UNION ALL SELECT pid, parent_kind, parent_id, cid, fid, true, jsonb_build_object('name', name, 'description', description, 'size_bytes', size_bytes, 'path', path, 'folder_id', folder_id, 'extra', extra) FROM collab_history.comment_files
            WHERE valid_from > $1 AND valid_from <= $2 AND valid_to > $2
          UNION ALL SELECT pid, parent_kind, parent_id, cid, fid, false, jsonb_build_object('name', name, 'description', description, 'size_bytes', size_bytes, 'path', path, 'folder_id', folder_id, 'extra', extra) FROM collab_history.comment_files
            WHERE valid_to > $1 AND valid_to <= $2 AND valid_from <= $1
        ) AS version
        GROUP BY pid, parent_kind, parent_id, cid, fid
      ) AS record UNION ALL 
      SELECT 19 AS table_number, 'events' AS table_name, pid AS pid, jsonb_build_object('pid', pid, 'event_id', event_id, 'starts_at', starts_at) AS key, old_values, new_values
      FROM (
        SELECT pid, event_id, starts_at, (array_agg(row_values) FILTER (WHERE NOT is_new))[1] AS old_values,
          (array_agg(row_values) FILTER (WHERE is_new))[1] AS new_values
        FROM (
          SELECT pid, event_id, starts_at, true AS is_new, jsonb_build_object('ends_at', ends_at, 'name', name, 'summary', summary, 'location', location, 'email', email, 'description', description, 'recurrence', recurrence, 'extra', extra) AS row_values
            FROM collab.events WHERE deleted_at IS NULL AND valid_from > $1 AND valid_from <= $2
          UNION ALL SELECT pid, event_id, starts_at, true, jsonb_build_object('ends_at', ends_at, 'name', name, 'summary', summary, 'location', location, 'email', email, 'description', description, 'recurrence', recurrence, 'extra', extra) FROM collab_history.events
            WHERE valid_from > $1 AND valid_from <= $2 AND valid_to > $2
          UNION ALL SELECT pid, event_id, starts_at, false, jsonb_build_object('ends_at', ends_at, 'name', name, 'summary', summary, 'location', location, 'email', email, 'description', description, 'recurrence', recurrence, 'extra', extra) FROM collab_history.events
            WHERE valid_to > $1 AND valid_to <= $2 AND valid_from <= $1
        ) AS version
        GROUP BY pid, event_id, starts_at
      ) AS record UNION ALL 
      SELECT 20 AS table_number, 'event_attendees' AS table_name, pid AS pid, jsonb_build_object('pid', pid, 'event_id', event_id, 'starts_at', starts_at, 'uid', uid) AS key, old_values, new_values
      FROM (
        SELECT pid, event_id, starts_at, uid, (array_agg(row_values) FILTER (WHERE NOT is_new))[1] AS old_values,
          (array_agg(row_values) FILTER (WHERE is_new))[1] AS new_values
        FROM (
          SELECT pid, event_id, starts_at, uid, true AS is_new, jsonb_build_object('extra', extra) AS row_values
            FROM collab.event_attendees WHERE deleted_at IS NULL AND valid_from > $1 AND valid_from <= $2
          UNION ALL SELECT pid, event_id, starts_at, uid, true, jsonb_build_object('extra', extra) FROM collab_history.event_attendees
            WHERE valid_from > $1 AND valid_from <= $2 AND valid_to > $2
          UNION ALL SELECT pid, event_id, starts_at, uid, false, jsonb_build_object('extra', extra) FROM collab_history.event_attendees
            WHERE valid_to > $1 AND valid_to <= $2 AND valid_from <= $1
        ) AS version
        GROUP BY pid, event_id, starts_at, uid
      ) AS record UNION ALL 
      SELECT 21 AS table_number, 'webhooks' AS table_name, coalesce(new_values, old_values) ->> 'pid' AS pid, jsonb_build_object('wid', wid) AS key, old_values, new_values
      FROM (
        SELECT wid, (array_agg(row_values) FILTER (WHERE NOT is_new))[1] AS old_values,
          (array_agg(row_values) FILTER (WHERE is_new))[1] AS new_values
        FROM (
          SELECT wid, true AS is_new, jsonb_build_object('pid', pid, 'uid', uid, 'name', name, 'url', url, 'actions', actions, 'is_every', is_every, 'type', type, 'created_at', created_at, 'updated_at', updated_at, 'extra', extra) AS row_values
            FROM collab.webhooks WHERE deleted_at IS NULL AND valid_from > $1 AND valid_from <= $2
          UNION ALL SELECT wid, true, jsonb_build_object('pid', pid, 'uid', uid, 'name', name, 'url', url, 'actions', actions, 'is_every', is_every, 'type', type, 'created_at', created_at, 'updated_at', updated_at, 'extra', extra) FROM collab_history.webhooks
            WHERE valid_from > $1 AND valid_from <= $2 AND valid_to > $2
          UNION ALL SELECT wid, false, jsonb_build_object('pid', pid, 'uid', uid, 'name', name, 'url', url, 'actions', actions, 'is_every', is_every, 'type', type, 'created_at', created_at, 'updated_at', updated_at, 'extra', extra) FROM collab_history.webhooks
            WHERE valid_to > $1 AND valid_to <= $2 AND valid_from <= $1
        ) AS version
        GROUP BY wid
      ) AS record) AS v 
    CROSS JOIN LATERAL (
      SELECT array_agg(n.key) AS columns, jsonb_object_agg(n.key, v.old_values -> n.key) AS old_values, jsonb_object_agg(n.key, n.value) AS new_values
      FROM jsonb_each(CASE WHEN v.old_values IS NOT NULL THEN v.new_values END) AS n
      WHERE n.value IS DISTINCT FROM v.old_values -> n.key
    ) AS d
    WHERE v.old_values IS NULL OR v.new_values IS NULL OR d.columns IS NOT NULL $_$;

COMMENT ON FUNCTION collab.changes_between(since timestamp with time zone, until timestamp with time zone) IS 'Difference between the states at two times, as <table>_as_of returns them: one row per record that was added, changed or deleted, without the values in between. Columns as in the view changes';

CREATE FUNCTION collab.comment_files_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, cid text, fid text, name text, description text, size_bytes bigint, path text, folder_id text, extra jsonb, valid_from timestamp with time zone, parent_kind text, parent_id text, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, cid, fid, name, description, size_bytes, path, folder_id, extra, valid_from, parent_kind, parent_id, NULL::timestamptz FROM collab.comment_files WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, cid, fid, name, description, size_bytes, path, folder_id, extra, valid_from, parent_kind, parent_id, NULL::timestamptz FROM collab_history.comment_files WHERE valid_from <= $1 AND $1 < valid_to$_$;

COMMENT ON FUNCTION collab.comment_files_as_of(moment timestamp with time zone) IS 'Rows of comment_files as they stood at the end of the last run that began at or before that time';

CREATE FUNCTION collab.entries_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, entry_id text, name text, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, entry_id, name, extra, valid_from, NULL::timestamptz FROM collab.entries WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, entry_id, name, extra, valid_from, NULL::timestamptz FROM collab_history.entries WHERE valid_from <= $1 AND $1 < valid_to$_$;

COMMENT ON FUNCTION collab.entries_as_of(moment timestamp with time zone) IS 'Rows of entries as they stood at the end of the last run that began at or before that time';

CREATE FUNCTION collab.event_attendees_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, event_id text, starts_at timestamp with time zone, uid text, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, event_id, starts_at, uid, extra, valid_from, NULL::timestamptz FROM collab.event_attendees WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, event_id, starts_at, uid, extra, valid_from, NULL::timestamptz FROM collab_history.event_attendees WHERE valid_from <= $1 AND $1 < valid_to$_$;

COMMENT ON FUNCTION collab.event_attendees_as_of(moment timestamp with time zone) IS 'Rows of event_attendees as they stood at the end of the last run that began at or before that time';

CREATE FUNCTION collab.event_calendar(range_start timestamp with time zone, range_end timestamp with time zone) RETURNS TABLE(pid text, event_id text, starts_at timestamp with time zone, ends_at timestamp with time zone, name text, location text, recurrence smallint, listed_starts_at timestamp with time zone, attendees text[])
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  SELECT
    event.pid,
    event.event_id,
    occurrence.starts AT TIME ZONE 'UTC',
    (occurrence.starts + (event.ends - event.starts)) AT TIME ZONE 'UTC',
    event.name,
    event.location,
    event.recurrence,
    event.starts AT TIME ZONE 'UTC',
    ARRAY(
      SELECT coalesce(person.name, attendee.uid)
      FROM collab.event_attendees AS attendee LEFT JOIN collab.users AS person ON person.uid = attendee.uid
      WHERE attendee.pid = event.pid AND attendee.event_id = event.event_id
        AND attendee.starts_at = event.starts AT TIME ZONE 'UTC' AND attendee.deleted_at IS NULL
      ORDER BY coalesce(person.name, attendee.uid) COLLATE "C", attendee.uid
    )
  FROM (
    SELECT
      listed.pid, listed.event_id, listed.name, listed.location, listed.recurrence,
      listed.starts_at AT TIME ZONE 'UTC' AS starts,
      listed.ends_at AT TIME ZONE 'UTC' AS ends,
      lead(listed.starts_at AT TIME ZONE 'UTC') OVER (PARTITION BY listed.pid, listed.event_id ORDER BY listed.starts_at)
        AS next_starts
    FROM collab.events AS listed
    WHERE listed.deleted_at IS NULL
  ) AS event
  CROSS JOIN LATERAL (
    SELECT
      coalesce(greatest(event.ends - event.starts, interval '0'), interval '0') AS lasts,
      range_start AT TIME ZONE 'UTC' AS range_from,
      range_end AT TIME ZONE 'UTC' AS range_to
  ) AS given
  CROSS JOIN LATERAL (
    SELECT given.range_from - given.lasts AS earliest, least(given.range_to, event.next_starts) AS latest
  ) AS bounds
  CROSS JOIN LATERAL generate_series(
    CASE event.recurrence
      WHEN 1 THEN greatest(0, floor(extract(epoch FROM bounds.earliest - event.starts) / 86400))::integer
      WHEN 2 THEN greatest(0, floor(extract(epoch FROM bounds.earliest - event.starts) / 604800))::integer
      WHEN 3 THEN greatest(0, (date_part('year', bounds.earliest) - date_part('year', event.starts)) * 12
        + date_part('month', bounds.earliest) - date_part('month', event.starts))::integer
      WHEN 4 THEN greatest(0, date_part('year', bounds.earliest) - date_part('year', event.starts))::integer
      ELSE 0
    END,
    CASE event.recurrence
      WHEN 1 THEN floor(extract(epoch FROM bounds.latest - event.starts) / 86400)::integer
      WHEN 2 THEN floor(extract(epoch FROM bounds.latest - event.starts) / 604800)::integer
      WHEN 3 THEN ((date_part('year', bounds.latest) - date_part('year', event.starts)) * 12
        + date_part('month', bounds.latest) - date_part('month', event.starts))::integer
      WHEN 4 THEN (date_part('year', bounds.latest) - date_part('year', event.starts))::integer
      ELSE 0
    END
  ) AS number
  CROSS JOIN LATERAL (
    SELECT event.starts + number * CASE event.recurrence
      WHEN 1 THEN interval '1 day' WHEN 2 THEN interval '7 days'
      WHEN 3 THEN interval '1 month' WHEN 4 THEN interval '1 year'
      ELSE interval '0'
    END AS starts
  ) AS occurrence
  WHERE event.starts < given.range_to
    AND occurrence.starts < given.range_to
    AND (occurrence.starts >= given.range_from OR occurrence.starts + given.lasts > given.range_from)
    -- adding months takes the 31st to the last day of a shorter month: there is none in that month
    AND (event.recurrence IN (1, 2) OR date_part('day', occurrence.starts) = date_part('day', event.starts))
    AND (number = 0 OR event.next_starts IS NULL
      OR date_trunc(CASE event.recurrence WHEN 1 THEN 'day' WHEN 2 THEN 'week' WHEN 3 THEN 'month' ELSE 'year' END, occurrence.starts)
        < date_trunc(CASE event.recurrence WHEN 1 THEN 'day' WHEN 2 THEN 'week' WHEN 3 THEN 'month' ELSE 'year' END, event.next_starts))
$$;

COMMENT ON FUNCTION collab.event_calendar(range_start timestamp with time zone, range_end timestamp with time zone) IS 'Occurrences of live events that touch the range, its end excluded, recurring ones expanded in UTC; both ends must be finite. One that begins before the range and lasts into it belongs to it. Recurrence on a day that a month or year does not have is left out there. Columns as in the view event_calendar';

CREATE FUNCTION collab.events_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, event_id text, starts_at timestamp with time zone, ends_at timestamp with time zone, name text, summary text, location text, email text, description text, recurrence smallint, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, event_id, starts_at, ends_at, name, summary, location, email, description, recurrence, extra, valid_from, NULL::timestamptz FROM collab.events WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, event_id, starts_at, ends_at, name, summary, location, email, description, recurrence, extra, valid_from, NULL::timestamptz FROM collab_history.events WHERE valid_from <= $1 AND $1 < valid_to$_$;

COMMENT ON FUNCTION collab.events_as_of(moment timestamp with time zone) IS 'Rows of events as they stood at the end of the last run that began at or before that time';

CREATE FUNCTION collab.fct_task_daily(first_day date, last_day date, all_columns boolean DEFAULT true) RETURNS TABLE(pid text, day date, open bigint, completed bigint, archived bigint, overdue bigint, created bigint, completed_that_day bigint, is_backfilled boolean, is_carried boolean, project_is_archived boolean)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  WITH bounds AS (
    SELECT
      known.pid, min(known.first_seen_at) AS first_seen_at, min(known.seen_day) AS seen_day, min(known.archived_day) AS archived_day,
      least(min(known.seen_day), min(known.archived_day),
        -- greatest() passes over NULL: a project without a time of creation would begin in 2001
        CASE WHEN min(known.created_day) IS NOT NULL THEN greatest(min(known.created_day), date '2001-01-01') END) AS start_day
    FROM (
      SELECT
        p.pid, least(p.tasks_first_read_at, p.archived_first_read_at) AS first_seen_at,
        (p.tasks_first_read_at AT TIME ZONE 'UTC')::date AS seen_day, (p.archived_first_read_at AT TIME ZONE 'UTC')::date AS archived_day,
        NULL::date AS created_day
      FROM collab.project_first_seen AS p
      UNION ALL
      SELECT t.pid, NULL, NULL, NULL, (min(t.created_at) AT TIME ZONE 'UTC')::date FROM collab.tasks AS t GROUP BY t.pid
    ) AS known
    GROUP BY known.pid
    HAVING min(known.seen_day) IS NOT NULL
  ),
  -- a condition of the query on pid stays outside: its estimate would have each version compared with each project
  change AS MATERIALIZED (
    SELECT
      bounds.pid,
      -- of timestamps: dates would become midnights of the session's time zone, where some days have none
      generate_series(
        greatest($1, bounds.start_day)::timestamp,
        (SELECT CASE WHEN $2 < max(runs.started_at AT TIME ZONE 'UTC')::date THEN $2 ELSE max(runs.started_at AT TIME ZONE 'UTC')::date END
         FROM collab.runs WHERE runs.status IN ('succeeded', 'partial'))::timestamp,
        interval '1 day'
      )::date AS day,
      bounds.seen_day, bounds.archived_day,
      0 AS open, 0 AS completed, 0 AS archived, 0 AS overdue, 0 AS created, 0 AS completed_that_day, 0 AS read, 0 AS exists, 0 AS closed
    FROM bounds
    WHERE $1 <= $2 -- no days without both
    UNION ALL
    SELECT
      held.pid, edge.day, NULL, NULL, edge.step * (held.state = 0)::integer, edge.step * (held.state = 1)::integer,
      edge.step * (held.state = 2)::integer, edge.overdue, 0, 0, 0, 0, 0
    FROM (
      -- few groups: what began before the first day or ended after the last one is alike
      SELECT
        span.pid, span.state, greatest(span.from_day, $1) AS from_day, least(span.to_day, $2 + 1) AS to_day,
        CASE WHEN span.state = 0 AND span.due_day < span.to_day THEN greatest(span.from_day, span.due_day, $1) END AS overdue_day,
        count(*)::integer AS tasks
      FROM (
        SELECT
          version.pid, CASE WHEN version.archived THEN 2 WHEN version.completed THEN 1 ELSE 0 END AS state,
          (version.valid_from AT TIME ZONE 'UTC')::date AS from_day, coalesce((version.valid_to AT TIME ZONE 'UTC')::date, 'infinity') AS to_day,
          (version.due_at AT TIME ZONE 'UTC')::date AS due_day
        FROM collab.task_versions AS version
        WHERE $3 OR version.completed IS NOT TRUE AND version.archived IS NOT TRUE
        UNION ALL
        -- before the project's tasks were first read: the first version, open from its creation until it was closed
        SELECT
          first.pid, part.state, greatest(part.from_day, first.created_day, date '2001-01-01'),
          least(greatest(part.to_day, first.created_day, date '2001-01-01'), first.seen_day), first.due_day
        FROM (
          SELECT
            version.pid, least((version.valid_from AT TIME ZONE 'UTC')::date, bounds.seen_day) AS seen_day,
            (version.created_at AT TIME ZONE 'UTC')::date AS created_day, (version.due_at AT TIME ZONE 'UTC')::date AS due_day,
            CASE WHEN version.completed IS TRUE OR version.archived IS TRUE
              THEN (coalesce(CASE WHEN version.completed THEN version.completed_at END, least(version.updated_at, version.valid_from)) AT TIME ZONE 'UTC')::date
              ELSE 'infinity' END AS closed_day
          FROM collab.task_versions AS version JOIN bounds ON bounds.pid = version.pid
          WHERE bounds.seen_day > $1 AND version.created_at IS NOT NULL
            -- one that was moved here was counted elsewhere
            AND NOT EXISTS (
              SELECT FROM collab_history.tasks AS former
              WHERE former.tid = version.tid AND former.created_at = version.created_at AND former.pid <> version.pid
                AND former.valid_from < version.valid_from)
            AND (version.valid_from = bounds.first_seen_at
              OR (version.valid_from AT TIME ZONE 'UTC')::date = CASE WHEN version.archived THEN bounds.archived_day ELSE bounds.seen_day END
                AND NOT EXISTS (
                  SELECT FROM collab_history.tasks AS earlier
                  WHERE earlier.pid = version.pid AND earlier.tid = version.tid AND earlier.valid_from < version.valid_from))
        ) AS first
        CROSS JOIN LATERAL (VALUES (0, first.created_day, first.closed_day), (1, first.closed_day, 'infinity')) AS part (state, from_day, to_day)
        WHERE $3 OR part.state = 0
      ) AS span
      WHERE span.from_day < span.to_day AND span.from_day <= $2 AND span.to_day > $1
      GROUP BY 1, 2, 3, 4, 5
    ) AS held
    CROSS JOIN LATERAL (
      VALUES
        (held.from_day, held.tasks, 0),
        (held.to_day, -held.tasks, CASE WHEN held.overdue_day IS NULL THEN 0 ELSE -held.tasks END),
        (held.overdue_day, 0, held.tasks)
    ) AS edge (day, step, overdue)
    WHERE edge.day <= $2
    UNION ALL
    SELECT c.pid, greatest((c.created_at AT TIME ZONE 'UTC')::date, date '2001-01-01'), NULL, NULL, 0, 0, 0, 0, 1, 0, 0, 0, 0
    FROM collab.task_creations AS c WHERE $3
    UNION ALL
    SELECT c.pid, greatest((c.counted_at AT TIME ZONE 'UTC')::date, date '2001-01-01'), NULL, NULL, 0, 0, 0, 0, 0, 1, 0, 0, 0
    FROM collab.task_completions AS c WHERE $3
    UNION ALL
    SELECT scope.pid, (run.started_at AT TIME ZONE 'UTC')::date, NULL, NULL, 0, 0, 0, 0, 0, 0, 1, 0, 0
    FROM collab.run_scopes AS scope JOIN collab.runs AS run ON run.run_id = scope.run_id
    WHERE scope.stream = 'tasks' AND scope.status NOT IN ('failed', 'skipped', 'carried')
    UNION ALL
    -- versions of the project itself; the first one holds before it was seen, too
    SELECT state.pid, edge.day, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, edge.step, edge.step * state.archived
    FROM (
      SELECT
        p.pid, (p.archived IS TRUE)::integer AS archived, p.valid_from = min(p.valid_from) OVER (PARTITION BY p.pid) AS is_first,
        (p.valid_from AT TIME ZONE 'UTC')::date AS from_day, coalesce((p.valid_to AT TIME ZONE 'UTC')::date, 'infinity') AS to_day
      FROM collab.project_versions AS p
    ) AS state
    JOIN bounds ON bounds.pid = state.pid
    CROSS JOIN LATERAL (
      VALUES
        (greatest(CASE WHEN NOT state.is_first THEN state.from_day END, bounds.start_day, $1), 1),
        (greatest(state.to_day, bounds.start_day, $1), -1)
    ) AS edge (day, step)
    WHERE edge.day <= $2
  )
  SELECT
    total.pid, total.day, total.open,
    CASE WHEN $3 THEN total.completed + CASE WHEN total.day < total.seen_day THEN total.archived ELSE 0 END END,
    CASE WHEN $3 AND total.day >= total.seen_day AND total.day >= total.archived_day THEN total.archived END,
    total.overdue, CASE WHEN $3 THEN total.created END, CASE WHEN $3 THEN total.completed_that_day END,
    total.day < total.seen_day, total.day >= total.seen_day AND total.exists > 0 AND total.read = 0, total.closed > 0
  FROM (
    SELECT
      change.pid, change.day, max(change.seen_day) AS seen_day, max(change.archived_day) AS archived_day,
      (sum(sum(change.open)) OVER so_far)::bigint AS open, (sum(sum(change.completed)) OVER so_far)::bigint AS completed,
      (sum(sum(change.archived)) OVER so_far)::bigint AS archived, (sum(sum(change.overdue)) OVER so_far)::bigint AS overdue,
      sum(change.created)::bigint AS created, sum(change.completed_that_day)::bigint AS completed_that_day,
      sum(change.read) AS read, sum(sum(change.exists)) OVER so_far AS exists, sum(sum(change.closed)) OVER so_far AS closed
    FROM change
    GROUP BY change.pid, change.day
    -- before the sums over the days: drops what is before the first day or after the last one
    HAVING max(change.seen_day) IS NOT NULL
    WINDOW so_far AS (PARTITION BY change.pid ORDER BY change.day)
  ) AS total
$_$;

COMMENT ON FUNCTION collab.fct_task_daily(first_day date, last_day date, all_columns boolean) IS 'Rows of the view fct_task_daily, without project_name, for the days from the first to the last one, both included. With false as third argument completed, archived, created and completed_that_day are null, and it takes a fraction of the time';

CREATE FUNCTION collab.file_comments_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, fid text, cid text, message text, raw_message text, type smallint, format smallint, owner_uid text, created_at timestamp with time zone, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, fid, cid, message, raw_message, type, format, owner_uid, created_at, extra, valid_from, NULL::timestamptz FROM collab.file_comments WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, fid, cid, message, raw_message, type, format, owner_uid, created_at, extra, valid_from, NULL::timestamptz FROM collab_history.file_comments WHERE valid_from <= $1 AND $1 < valid_to$_$;

COMMENT ON FUNCTION collab.file_comments_as_of(moment timestamp with time zone) IS 'Rows of file_comments as they stood at the end of the last run that began at or before that time';

CREATE FUNCTION collab.file_watchers_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, fid text, uid text, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, fid, uid, extra, valid_from, NULL::timestamptz FROM collab.file_watchers WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, fid, uid, extra, valid_from, NULL::timestamptz FROM collab_history.file_watchers WHERE valid_from <= $1 AND $1 < valid_to$_$;

COMMENT ON FUNCTION collab.file_watchers_as_of(moment timestamp with time zone) IS 'Rows of file_watchers as they stood at the end of the last run that began at or before that time';

CREATE FUNCTION collab.files_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, fid text, name text, description text, size_bytes bigint, path text, folder_id text, type smallint, created_at timestamp with time zone, updated_at timestamp with time zone, owner_uid text, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, fid, name, description, size_bytes, path, folder_id, type, created_at, updated_at, owner_uid, extra, valid_from, NULL::timestamptz FROM collab.files WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, fid, name, description, size_bytes, path, folder_id, type, created_at, updated_at, owner_uid, extra, valid_from, NULL::timestamptz FROM collab_history.files WHERE valid_from <= $1 AND $1 < valid_to$_$;

COMMENT ON FUNCTION collab.files_as_of(moment timestamp with time zone) IS 'Rows of files as they stood at the end of the last run that began at or before that time';

CREATE FUNCTION collab.page_watchers_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, page_id text, uid text, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, page_id, uid, extra, valid_from, NULL::timestamptz FROM collab.page_watchers WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, page_id, uid, extra, valid_from, NULL::timestamptz FROM collab_history.page_watchers WHERE valid_from <= $1 AND $1 < valid_to$_$;

COMMENT ON FUNCTION collab.page_watchers_as_of(moment timestamp with time zone) IS 'Rows of page_watchers as they stood at the end of the last run that began at or before that time';

CREATE FUNCTION collab.pages_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, page_id text, parent_id text, name text, summary text, content text, created_at timestamp with time zone, updated_at timestamp with time zone, owner_uid text, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, page_id, parent_id, name, summary, content, created_at, updated_at, owner_uid, extra, valid_from, NULL::timestamptz FROM collab.pages WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, page_id, parent_id, name, summary, content, created_at, updated_at, owner_uid, extra, valid_from, NULL::timestamptz FROM collab_history.pages WHERE valid_from <= $1 AND $1 < valid_to$_$;

COMMENT ON FUNCTION collab.pages_as_of(moment timestamp with time zone) IS 'Rows of pages as they stood at the end of the last run that began at or before that time';

CREATE FUNCTION collab.post_comments_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, post_id text, cid text, message text, raw_message text, type smallint, format smallint, owner_uid text, created_at timestamp with time zone, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, post_id, cid, message, raw_message, type, format, owner_uid, created_at, extra, valid_from, NULL::timestamptz FROM collab.post_comments WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, post_id, cid, message, raw_message, type, format, owner_uid, created_at, extra, valid_from, NULL::timestamptz FROM collab_history.post_comments WHERE valid_from <= $1 AND $1 < valid_to$_$;

COMMENT ON FUNCTION collab.post_comments_as_of(moment timestamp with time zone) IS 'Rows of post_comments as they stood at the end of the last run that began at or before that time';

CREATE FUNCTION collab.post_watchers_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, post_id text, uid text, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, post_id, uid, extra, valid_from, NULL::timestamptz FROM collab.post_watchers WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, post_id, uid, extra, valid_from, NULL::timestamptz FROM collab_history.post_watchers WHERE valid_from <= $1 AND $1 < valid_to$_$;

COMMENT ON FUNCTION collab.post_watchers_as_of(moment timestamp with time zone) IS 'Rows of post_watchers as they stood at the end of the last run that began at or before that time';

CREATE FUNCTION collab.posts_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, post_id text, name text, summary text, content text, created_at timestamp with time zone, updated_at timestamp with time zone, owner_uid text, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, post_id, name, summary, content, created_at, updated_at, owner_uid, extra, valid_from, NULL::timestamptz FROM collab.posts WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, post_id, name, summary, content, created_at, updated_at, owner_uid, extra, valid_from, NULL::timestamptz FROM collab_history.posts WHERE valid_from <= $1 AND $1 < valid_to$_$;

COMMENT ON FUNCTION collab.posts_as_of(moment timestamp with time zone) IS 'Rows of posts as they stood at the end of the last run that began at or before that time';

CREATE FUNCTION collab.project_labels_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, name text, description text, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, name, description, extra, valid_from, NULL::timestamptz FROM collab.project_labels WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, name, description, extra, valid_from, NULL::timestamptz FROM collab_history.project_labels WHERE valid_from <= $1 AND $1 < valid_to$_$;

COMMENT ON FUNCTION collab.project_labels_as_of(moment timestamp with time zone) IS 'Rows of project_labels as they stood at the end of the last run that began at or before that time';

CREATE FUNCTION collab.projects_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, name text, description text, archived boolean, pic text, bg text, visibility smallint, team_id text, is_starred boolean, "position" double precision, member_count integer, curr_role smallint, permission smallint, created_by_uid text, extra jsonb, valid_from timestamp with time zone, unlisted_since timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, name, description, archived, pic, bg, visibility, team_id, is_starred, "position", member_count, curr_role, permission, created_by_uid, extra, valid_from, unlisted_since, NULL::timestamptz FROM collab.projects WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, name, description, archived, pic, bg, visibility, team_id, is_starred, "position", member_count, curr_role, permission, created_by_uid, extra, valid_from, unlisted_since, NULL::timestamptz FROM collab_history.projects WHERE valid_from <= $1 AND $1 < valid_to$_$;

COMMENT ON FUNCTION collab.projects_as_of(moment timestamp with time zone) IS 'Rows of projects as they stood at the end of the last run that began at or before that time';

CREATE FUNCTION collab.search_tokens(VARIADIC texts text[]) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE STRICT COST 10000 PARALLEL SAFE
    AS $$
DECLARE
  value text := array_to_string(texts, E'\n');
  words text;
  others text;
  tokens text[];
BEGIN
  IF octet_length(value) > 1000000 THEN
    RETURN '{long}';
  END IF;
  words := regexp_replace(lower(value COLLATE "C"), '[^a-z0-9]+', ' ', 'g') || '  ';
  tokens := string_to_array(regexp_replace(words, '...', '\& ', 'g') || ' ' || regexp_replace(substr(words, 2), '...', '\& ', 'g')
    || ' ' || regexp_replace(substr(words, 3), '...', '\& ', 'g'), ' ');
  IF octet_length(value) > char_length(value) THEN
    others := regexp_replace(value COLLATE "C", '[\x01-\x7f]+', ' ', 'g') || ' ';
    tokens := tokens || string_to_array(others, NULL) || string_to_array(regexp_replace(others, '..', '\& ', 'g') || ' '
      || regexp_replace(substr(others, 2), '..', '\& ', 'g'), ' ');
  END IF;
  RETURN tokens;
END;
$$;

COMMENT ON FUNCTION collab.search_tokens(VARIADIC texts text[]) IS 'What the search indexes hold of texts: see collab-extract search-index';

CREATE FUNCTION collab.task_counts(first_day date, last_day date) RETURNS TABLE(pid text, day date, open bigint, overdue bigint)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  SELECT daily.pid, daily.day, daily.open, daily.overdue FROM collab.fct_task_daily($1, $2, false) AS daily
$_$;

COMMENT ON FUNCTION collab.task_counts(first_day date, last_day date) IS 'Open and overdue tasks of each project at the end of each UTC day from the first to the last one given, both included: columns open and overdue of fct_task_daily, in a fraction of its time';

CREATE FUNCTION collab.task_labels_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, tid text, name text, description text, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, tid, name, description, extra, valid_from, NULL::timestamptz FROM collab.task_labels WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, tid, name, description, extra, valid_from, NULL::timestamptz FROM collab_history.task_labels WHERE valid_from <= $1 AND $1 < valid_to$_$;

COMMENT ON FUNCTION collab.task_labels_as_of(moment timestamp with time zone) IS 'Rows of task_labels as they stood at the end of the last run that began at or before that time';

CREATE FUNCTION collab.task_members_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, tid text, uid text, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, tid, uid, extra, valid_from, NULL::timestamptz FROM collab.task_members WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, tid, uid, extra, valid_from, NULL::timestamptz FROM collab_history.task_members WHERE valid_from <= $1 AND $1 < valid_to$_$;

COMMENT ON FUNCTION collab.task_members_as_of(moment timestamp with time zone) IS 'Rows of task_members as they stood at the end of the last run that began at or before that time';

CREATE FUNCTION collab.task_todos_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, tid text, todo_id text, name text, checked boolean, "position" double precision, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, tid, todo_id, name, checked, "position", extra, valid_from, NULL::timestamptz FROM collab.task_todos WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, tid, todo_id, name, checked, "position", extra, valid_from, NULL::timestamptz FROM collab_history.task_todos WHERE valid_from <= $1 AND $1 < valid_to$_$;

COMMENT ON FUNCTION collab.task_todos_as_of(moment timestamp with time zone) IS 'Rows of task_todos as they stood at the end of the last run that began at or before that time';

CREATE FUNCTION collab.task_watchers_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, tid text, uid text, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, tid, uid, extra, valid_from, NULL::timestamptz FROM collab.task_watchers WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, tid, uid, extra, valid_from, NULL::timestamptz FROM collab_history.task_watchers WHERE valid_from <= $1 AND $1 < valid_to$_$;

COMMENT ON FUNCTION collab.task_watchers_as_of(moment timestamp with time zone) IS 'Rows of task_watchers as they stood at the end of the last run that began at or before that time';

CREATE FUNCTION collab.tasks_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, tid text, entry_id text, name text, description text, "position" double precision, completed boolean, completed_at timestamp with time zone, due_at timestamp with time zone, created_at timestamp with time zone, updated_at timestamp with time zone, archived boolean, comment_count integer, todo_count integer, todo_checked_count integer, file_count integer, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, tid, entry_id, name, description, "position", completed, completed_at, due_at, created_at, updated_at, archived, comment_count, todo_count, todo_checked_count, file_count, extra, valid_from, NULL::timestamptz FROM collab.tasks WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, tid, entry_id, name, description, "position", completed, completed_at, due_at, created_at, updated_at, archived, comment_count, todo_count, todo_checked_count, file_count, extra, valid_from, NULL::timestamptz FROM collab_history.tasks WHERE valid_from <= $1 AND $1 < valid_to$_$;

COMMENT ON FUNCTION collab.tasks_as_of(moment timestamp with time zone) IS 'Rows of tasks as they stood at the end of the last run that began at or before that time';

CREATE FUNCTION collab.users_as_of(moment timestamp with time zone) RETURNS TABLE(uid text, name text, display_name text, avatar text, description text, status smallint, online smallint, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT uid, name, display_name, avatar, description, status, online, extra, valid_from, NULL::timestamptz FROM collab.users WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT uid, name, display_name, avatar, description, status, online, extra, valid_from, NULL::timestamptz FROM collab_history.users WHERE valid_from <= $1 AND $1 < valid_to$_$;

COMMENT ON FUNCTION collab.users_as_of(moment timestamp with time zone) IS 'Rows of users as they stood at the end of the last run that began at or before that time';

CREATE FUNCTION collab.webhooks_as_of(moment timestamp with time zone) RETURNS TABLE(wid text, pid text, uid text, name text, url text, actions text[], is_every boolean, type smallint, created_at timestamp with time zone, updated_at timestamp with time zone, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT wid, pid, uid, name, url, actions, is_every, type, created_at, updated_at, extra, valid_from, NULL::timestamptz FROM collab.webhooks WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT wid, pid, uid, name, url, actions, is_every, type, created_at, updated_at, extra, valid_from, NULL::timestamptz FROM collab_history.webhooks WHERE valid_from <= $1 AND $1 < valid_to$_$;

COMMENT ON FUNCTION collab.webhooks_as_of(moment timestamp with time zone) IS 'Rows of webhooks as they stood at the end of the last run that began at or before that time';

CREATE TABLE collab.comment_files (
    pid text NOT NULL COLLATE pg_catalog."C",
    cid text NOT NULL COLLATE pg_catalog."C",
    fid text NOT NULL COLLATE pg_catalog."C",
    name text,
    description text,
    size_bytes bigint,
    path text,
    folder_id text COLLATE pg_catalog."C",
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone,
    parent_kind text NOT NULL COLLATE pg_catalog."C",
    parent_id text NOT NULL COLLATE pg_catalog."C"
);

COMMENT ON TABLE collab.comment_files IS 'Files attached to comments; a file that is only named by its id has no more than that';
COMMENT ON COLUMN collab.comment_files.pid IS 'project id';
COMMENT ON COLUMN collab.comment_files.cid IS 'comment id';
COMMENT ON COLUMN collab.comment_files.fid IS 'file id';
COMMENT ON COLUMN collab.comment_files.name IS 'file name';
COMMENT ON COLUMN collab.comment_files.description IS 'file description';
COMMENT ON COLUMN collab.comment_files.size_bytes IS 'size in bytes';
COMMENT ON COLUMN collab.comment_files.path IS 'file path';
COMMENT ON COLUMN collab.comment_files.folder_id IS 'containing folder id; null at the top';
COMMENT ON COLUMN collab.comment_files.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.comment_files.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab.comment_files.deleted_at IS 'start of the run that found it gone; null while it exists';
COMMENT ON COLUMN collab.comment_files.parent_kind IS 'what was commented on: post or file';
COMMENT ON COLUMN collab.comment_files.parent_id IS 'post or file id, by parent_kind';

CREATE TABLE collab.entries (
    pid text NOT NULL COLLATE pg_catalog."C",
    entry_id text NOT NULL COLLATE pg_catalog."C",
    name text,
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone
);

COMMENT ON TABLE collab.entries IS 'Task groups (entries), as tasks name them';
COMMENT ON COLUMN collab.entries.pid IS 'project id';
COMMENT ON COLUMN collab.entries.entry_id IS 'task group id';
COMMENT ON COLUMN collab.entries.name IS 'task group name, as the task that was updated last shows it; tasks that show another have it in extra';
COMMENT ON COLUMN collab.entries.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.entries.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab.entries.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE TABLE collab.event_attendees (
    pid text NOT NULL COLLATE pg_catalog."C",
    event_id text NOT NULL COLLATE pg_catalog."C",
    uid text NOT NULL COLLATE pg_catalog."C",
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone,
    starts_at timestamp with time zone NOT NULL
);

COMMENT ON TABLE collab.event_attendees IS 'Participants of each occurrence of an event';
COMMENT ON COLUMN collab.event_attendees.pid IS 'project id';
COMMENT ON COLUMN collab.event_attendees.event_id IS 'event id';
COMMENT ON COLUMN collab.event_attendees.uid IS 'user id';
COMMENT ON COLUMN collab.event_attendees.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.event_attendees.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab.event_attendees.deleted_at IS 'start of the run that found it gone; null while it exists';
COMMENT ON COLUMN collab.event_attendees.starts_at IS 'start time of the occurrence';

CREATE TABLE collab.events (
    pid text NOT NULL COLLATE pg_catalog."C",
    event_id text NOT NULL COLLATE pg_catalog."C",
    starts_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone,
    name text,
    summary text,
    location text,
    email text,
    description text,
    recurrence smallint,
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone,
    record_hash uuid
);

COMMENT ON TABLE collab.events IS 'Calendar events; a recurring one has a row for each start the service lists';
COMMENT ON COLUMN collab.events.pid IS 'project id';
COMMENT ON COLUMN collab.events.event_id IS 'event id';
COMMENT ON COLUMN collab.events.starts_at IS 'start time';
COMMENT ON COLUMN collab.events.ends_at IS 'end time';
COMMENT ON COLUMN collab.events.name IS 'event content';
COMMENT ON COLUMN collab.events.summary IS 'event description';
COMMENT ON COLUMN collab.events.location IS 'place; null when the service leaves it out';
COMMENT ON COLUMN collab.events.email IS 'e-mail of the user; null when the service leaves it out';
COMMENT ON COLUMN collab.events.description IS 'description of the user; null when the service leaves it out';
COMMENT ON COLUMN collab.events.recurrence IS 'how it recurs: 0 = not, 1 = daily, 2 = weekly, 3 = monthly, 4 = yearly';
COMMENT ON COLUMN collab.events.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.events.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab.events.deleted_at IS 'start of the run that found it gone; null while it exists';
COMMENT ON COLUMN collab.events.record_hash IS 'hash of the record with its lists as it was read, by which the next run knows that nothing changed; null: to be compared value by value';

CREATE TABLE collab.file_comments (
    pid text NOT NULL COLLATE pg_catalog."C",
    fid text NOT NULL COLLATE pg_catalog."C",
    cid text NOT NULL COLLATE pg_catalog."C",
    message text,
    raw_message text,
    type smallint,
    format smallint,
    owner_uid text COLLATE pg_catalog."C",
    created_at timestamp with time zone,
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone
);

COMMENT ON TABLE collab.file_comments IS 'Comments of files';
COMMENT ON COLUMN collab.file_comments.pid IS 'project id';
COMMENT ON COLUMN collab.file_comments.fid IS 'file id';
COMMENT ON COLUMN collab.file_comments.cid IS 'comment id';
COMMENT ON COLUMN collab.file_comments.message IS 'content';
COMMENT ON COLUMN collab.file_comments.raw_message IS 'content in markdown';
COMMENT ON COLUMN collab.file_comments.type IS 'kind of content: 1 = text, 2 = emotion, 3 = audio';
COMMENT ON COLUMN collab.file_comments.format IS 'format of the content: 1 = text, 2 = html';
COMMENT ON COLUMN collab.file_comments.owner_uid IS 'user id of the author';
COMMENT ON COLUMN collab.file_comments.created_at IS 'comment time';
COMMENT ON COLUMN collab.file_comments.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.file_comments.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab.file_comments.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE TABLE collab.file_watchers (
    pid text NOT NULL COLLATE pg_catalog."C",
    fid text NOT NULL COLLATE pg_catalog."C",
    uid text NOT NULL COLLATE pg_catalog."C",
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone
);

COMMENT ON TABLE collab.file_watchers IS 'Members watching files';
COMMENT ON COLUMN collab.file_watchers.pid IS 'project id';
COMMENT ON COLUMN collab.file_watchers.fid IS 'file id';
COMMENT ON COLUMN collab.file_watchers.uid IS 'user id';
COMMENT ON COLUMN collab.file_watchers.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.file_watchers.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab.file_watchers.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE TABLE collab.files (
    pid text NOT NULL COLLATE pg_catalog."C",
    fid text NOT NULL COLLATE pg_catalog."C",
    name text,
    description text,
    size_bytes bigint,
    path text,
    folder_id text COLLATE pg_catalog."C",
    type smallint,
    created_at timestamp with time zone,
    updated_at timestamp with time zone,
    owner_uid text COLLATE pg_catalog."C",
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone
);

COMMENT ON TABLE collab.files IS 'Files and folders that are known; the service does not list them';
COMMENT ON COLUMN collab.files.pid IS 'project id';
COMMENT ON COLUMN collab.files.fid IS 'file id';
COMMENT ON COLUMN collab.files.name IS 'name';
COMMENT ON COLUMN collab.files.description IS 'description';
COMMENT ON COLUMN collab.files.size_bytes IS 'size in bytes';
COMMENT ON COLUMN collab.files.path IS 'path';
COMMENT ON COLUMN collab.files.folder_id IS 'parent folder id; null at the top';
COMMENT ON COLUMN collab.files.type IS 'kind: 0 = file, 1 = folder';
COMMENT ON COLUMN collab.files.created_at IS 'upload time';
COMMENT ON COLUMN collab.files.updated_at IS 'update time';
COMMENT ON COLUMN collab.files.owner_uid IS 'user id of the uploader';
COMMENT ON COLUMN collab.files.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.files.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab.files.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE TABLE collab.page_watchers (
    pid text NOT NULL COLLATE pg_catalog."C",
    page_id text NOT NULL COLLATE pg_catalog."C",
    uid text NOT NULL COLLATE pg_catalog."C",
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone
);

COMMENT ON TABLE collab.page_watchers IS 'Members watching documents';
COMMENT ON COLUMN collab.page_watchers.pid IS 'project id';
COMMENT ON COLUMN collab.page_watchers.page_id IS 'document id';
COMMENT ON COLUMN collab.page_watchers.uid IS 'user id';
COMMENT ON COLUMN collab.page_watchers.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.page_watchers.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab.page_watchers.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE TABLE collab.pages (
    pid text NOT NULL COLLATE pg_catalog."C",
    page_id text NOT NULL COLLATE pg_catalog."C",
    parent_id text COLLATE pg_catalog."C",
    name text,
    summary text,
    content text,
    created_at timestamp with time zone,
    updated_at timestamp with time zone,
    owner_uid text COLLATE pg_catalog."C",
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone,
    record_hash uuid
);

COMMENT ON TABLE collab.pages IS 'Documents';
COMMENT ON COLUMN collab.pages.pid IS 'project id';
COMMENT ON COLUMN collab.pages.page_id IS 'document id';
COMMENT ON COLUMN collab.pages.parent_id IS 'parent document id; null at the top level';
COMMENT ON COLUMN collab.pages.name IS 'document name';
COMMENT ON COLUMN collab.pages.summary IS 'document content';
COMMENT ON COLUMN collab.pages.content IS 'content in markdown';
COMMENT ON COLUMN collab.pages.created_at IS 'creation time';
COMMENT ON COLUMN collab.pages.updated_at IS 'update time';
COMMENT ON COLUMN collab.pages.owner_uid IS 'user id of the creator';
COMMENT ON COLUMN collab.pages.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.pages.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab.pages.deleted_at IS 'start of the run that found it gone; null while it exists';
COMMENT ON COLUMN collab.pages.record_hash IS 'hash of the record with its lists as it was read, by which the next run knows that nothing changed; null: to be compared value by value';

CREATE TABLE collab.post_comments (
    pid text NOT NULL COLLATE pg_catalog."C",
    post_id text NOT NULL COLLATE pg_catalog."C",
    cid text NOT NULL COLLATE pg_catalog."C",
    message text,
    raw_message text,
    type smallint,
    format smallint,
    owner_uid text COLLATE pg_catalog."C",
    created_at timestamp with time zone,
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone
);

COMMENT ON TABLE collab.post_comments IS 'Comments of posts';
COMMENT ON COLUMN collab.post_comments.pid IS 'project id';
COMMENT ON COLUMN collab.post_comments.post_id IS 'post id';
COMMENT ON COLUMN collab.post_comments.cid IS 'comment id';
COMMENT ON COLUMN collab.post_comments.message IS 'content';
COMMENT ON COLUMN collab.post_comments.raw_message IS 'content in markdown';
COMMENT ON COLUMN collab.post_comments.type IS 'kind of content: 1 = text, 2 = emotion, 3 = audio';
COMMENT ON COLUMN collab.post_comments.format IS 'format of the content: 1 = text, 2 = html';
COMMENT ON COLUMN collab.post_comments.owner_uid IS 'user id of the author';
COMMENT ON COLUMN collab.post_comments.created_at IS 'comment time';
COMMENT ON COLUMN collab.post_comments.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.post_comments.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab.post_comments.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE TABLE collab.post_watchers (
    pid text NOT NULL COLLATE pg_catalog."C",
    post_id text NOT NULL COLLATE pg_catalog."C",
    uid text NOT NULL COLLATE pg_catalog."C",
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone
);

COMMENT ON TABLE collab.post_watchers IS 'Members watching posts';
COMMENT ON COLUMN collab.post_watchers.pid IS 'project id';
COMMENT ON COLUMN collab.post_watchers.post_id IS 'post id';
COMMENT ON COLUMN collab.post_watchers.uid IS 'user id';
COMMENT ON COLUMN collab.post_watchers.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.post_watchers.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab.post_watchers.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE TABLE collab.posts (
    pid text NOT NULL COLLATE pg_catalog."C",
    post_id text NOT NULL COLLATE pg_catalog."C",
    name text,
    summary text,
    content text,
    created_at timestamp with time zone,
    updated_at timestamp with time zone,
    owner_uid text COLLATE pg_catalog."C",
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone
);

COMMENT ON TABLE collab.posts IS 'Discussion posts that are known; the service does not list them';
COMMENT ON COLUMN collab.posts.pid IS 'project id';
COMMENT ON COLUMN collab.posts.post_id IS 'post id';
COMMENT ON COLUMN collab.posts.name IS 'title';
COMMENT ON COLUMN collab.posts.summary IS 'content';
COMMENT ON COLUMN collab.posts.content IS 'content in markdown';
COMMENT ON COLUMN collab.posts.created_at IS 'creation time';
COMMENT ON COLUMN collab.posts.updated_at IS 'update time';
COMMENT ON COLUMN collab.posts.owner_uid IS 'user id of the creator';
COMMENT ON COLUMN collab.posts.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.posts.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab.posts.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE TABLE collab.project_labels (
    pid text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    description text,
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone
);

COMMENT ON TABLE collab.project_labels IS 'Labels of projects';
COMMENT ON COLUMN collab.project_labels.pid IS 'project id';
COMMENT ON COLUMN collab.project_labels.name IS 'label name (a colour word)';
COMMENT ON COLUMN collab.project_labels.description IS 'label description';
COMMENT ON COLUMN collab.project_labels.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.project_labels.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab.project_labels.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE TABLE collab.projects (
    pid text NOT NULL COLLATE pg_catalog."C",
    name text,
    description text,
    archived boolean,
    pic text,
    bg text,
    visibility smallint,
    team_id text COLLATE pg_catalog."C",
    is_starred boolean,
    "position" double precision,
    member_count integer,
    curr_role smallint,
    permission smallint,
    created_by_uid text COLLATE pg_catalog."C",
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone,
    unlisted_since timestamp with time zone
);

COMMENT ON TABLE collab.projects IS 'Projects, as the list shows them and in detail';
COMMENT ON COLUMN collab.projects.pid IS 'project id';
COMMENT ON COLUMN collab.projects.name IS 'project name';
COMMENT ON COLUMN collab.projects.description IS 'description';
COMMENT ON COLUMN collab.projects.archived IS 'whether the project is archived';
COMMENT ON COLUMN collab.projects.pic IS 'icon';
COMMENT ON COLUMN collab.projects.bg IS 'background colour';
COMMENT ON COLUMN collab.projects.visibility IS 'who may see it: 1 = private, 2 = team, 3 = public';
COMMENT ON COLUMN collab.projects.team_id IS 'team id';
COMMENT ON COLUMN collab.projects.is_starred IS 'whether it is a favourite of the token''s user';
COMMENT ON COLUMN collab.projects."position" IS 'position in the user''s list (may be fractional)';
COMMENT ON COLUMN collab.projects.member_count IS 'number of members';
COMMENT ON COLUMN collab.projects.curr_role IS 'role of the token''s user: 1 = administrator, 2 = member, 3 = visitor, 4 = guest';
COMMENT ON COLUMN collab.projects.permission IS 'permission of the token''s user: 0 = cannot operate, 5 = guest, 7 = visitor, 15 = member, 31 = administrator';
COMMENT ON COLUMN collab.projects.created_by_uid IS 'user id of the creator';
COMMENT ON COLUMN collab.projects.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.projects.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab.projects.deleted_at IS 'start of the run that found it gone; null while it exists';
COMMENT ON COLUMN collab.projects.unlisted_since IS 'start of the run that first found it missing from the list though it could be read; null while it is listed; what the list alone shows (is_starred to permission) stays as it was last listed';

CREATE TABLE collab.runs (
    run_id text NOT NULL COLLATE pg_catalog."C",
    started_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    status text NOT NULL,
    base_url text NOT NULL,
    tool_version text NOT NULL,
    requests bigint DEFAULT 0 NOT NULL,
    retries bigint DEFAULT 0 NOT NULL,
    bytes bigint DEFAULT 0 NOT NULL,
    error text,
    options jsonb,
    covers_all boolean DEFAULT false NOT NULL,
    generation integer DEFAULT 1 NOT NULL,
    CONSTRAINT runs_status_check CHECK ((status = ANY (ARRAY['running'::text, 'succeeded'::text, 'partial'::text, 'failed'::text, 'interrupted'::text])))
);

COMMENT ON TABLE collab.runs IS 'Runs of the snapshot';
COMMENT ON COLUMN collab.runs.run_id IS 'run id; sorts by time';
COMMENT ON COLUMN collab.runs.started_at IS 'when it began; everything it changed carries this time';
COMMENT ON COLUMN collab.runs.finished_at IS 'when it ended; null while running, and when its process died';
COMMENT ON COLUMN collab.runs.status IS 'running, succeeded, partial (some scopes are not complete), failed or interrupted';
COMMENT ON COLUMN collab.runs.base_url IS 'address of the service';
COMMENT ON COLUMN collab.runs.tool_version IS 'version of the tool';
COMMENT ON COLUMN collab.runs.requests IS 'requests made, retries included';
COMMENT ON COLUMN collab.runs.retries IS 'requests that were made again';
COMMENT ON COLUMN collab.runs.bytes IS 'bytes of bodies received';
COMMENT ON COLUMN collab.runs.error IS 'why it did not succeed';
COMMENT ON COLUMN collab.runs.options IS 'options that decide what is read and stored: projects (null: all), streams and others, by which a later run knows what it may keep when it resumes this one; null when they are not known, as for runs before version 8';
COMMENT ON COLUMN collab.runs.covers_all IS 'whether all projects and all streams were asked for; status says whether they could be read';
COMMENT ON COLUMN collab.runs.generation IS 'how many processes have coordinated the run, one after another; what an earlier one began is not published any more';

CREATE TABLE collab.task_labels (
    pid text NOT NULL COLLATE pg_catalog."C",
    tid text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    description text,
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone
);

COMMENT ON TABLE collab.task_labels IS 'Labels of tasks';
COMMENT ON COLUMN collab.task_labels.pid IS 'project id';
COMMENT ON COLUMN collab.task_labels.tid IS 'task id';
COMMENT ON COLUMN collab.task_labels.name IS 'label name (a colour word)';
COMMENT ON COLUMN collab.task_labels.description IS 'label description';
COMMENT ON COLUMN collab.task_labels.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.task_labels.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab.task_labels.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE TABLE collab.task_members (
    pid text NOT NULL COLLATE pg_catalog."C",
    tid text NOT NULL COLLATE pg_catalog."C",
    uid text NOT NULL COLLATE pg_catalog."C",
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone
);

COMMENT ON TABLE collab.task_members IS 'Members assigned to tasks';
COMMENT ON COLUMN collab.task_members.pid IS 'project id';
COMMENT ON COLUMN collab.task_members.tid IS 'task id';
COMMENT ON COLUMN collab.task_members.uid IS 'user id';
COMMENT ON COLUMN collab.task_members.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.task_members.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab.task_members.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE TABLE collab.task_todos (
    pid text NOT NULL COLLATE pg_catalog."C",
    tid text NOT NULL COLLATE pg_catalog."C",
    todo_id text NOT NULL COLLATE pg_catalog."C",
    name text,
    checked boolean,
    "position" double precision,
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone
);

COMMENT ON TABLE collab.task_todos IS 'Checklist items of tasks';
COMMENT ON COLUMN collab.task_todos.pid IS 'project id';
COMMENT ON COLUMN collab.task_todos.tid IS 'task id';
COMMENT ON COLUMN collab.task_todos.todo_id IS 'checklist item id';
COMMENT ON COLUMN collab.task_todos.name IS 'checklist item name';
COMMENT ON COLUMN collab.task_todos.checked IS 'whether it is done';
COMMENT ON COLUMN collab.task_todos."position" IS 'position';
COMMENT ON COLUMN collab.task_todos.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.task_todos.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab.task_todos.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE TABLE collab.task_watchers (
    pid text NOT NULL COLLATE pg_catalog."C",
    tid text NOT NULL COLLATE pg_catalog."C",
    uid text NOT NULL COLLATE pg_catalog."C",
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone
);

COMMENT ON TABLE collab.task_watchers IS 'Members watching tasks';
COMMENT ON COLUMN collab.task_watchers.pid IS 'project id';
COMMENT ON COLUMN collab.task_watchers.tid IS 'task id';
COMMENT ON COLUMN collab.task_watchers.uid IS 'user id';
COMMENT ON COLUMN collab.task_watchers.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.task_watchers.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab.task_watchers.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE TABLE collab.tasks (
    pid text NOT NULL COLLATE pg_catalog."C",
    tid text NOT NULL COLLATE pg_catalog."C",
    entry_id text COLLATE pg_catalog."C",
    name text,
    description text,
    "position" double precision,
    completed boolean,
    completed_at timestamp with time zone,
    due_at timestamp with time zone,
    created_at timestamp with time zone,
    updated_at timestamp with time zone,
    archived boolean,
    comment_count integer,
    todo_count integer,
    todo_checked_count integer,
    file_count integer,
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone,
    record_hash uuid
);

COMMENT ON TABLE collab.tasks IS 'Tasks, those of the task list and archived ones';
COMMENT ON COLUMN collab.tasks.pid IS 'project id';
COMMENT ON COLUMN collab.tasks.tid IS 'task id';
COMMENT ON COLUMN collab.tasks.entry_id IS 'task group id; null when in none';
COMMENT ON COLUMN collab.tasks.name IS 'task name';
COMMENT ON COLUMN collab.tasks.description IS 'task description';
COMMENT ON COLUMN collab.tasks."position" IS 'position; null when the task is in the archived list alone, where it has none';
COMMENT ON COLUMN collab.tasks.completed IS 'whether the task is completed';
COMMENT ON COLUMN collab.tasks.completed_at IS 'completion time; the archived list does not have it: an archived task keeps the last known one while it is completed; null when there is none, or none was ever read';
COMMENT ON COLUMN collab.tasks.due_at IS 'due date; null when there is none';
COMMENT ON COLUMN collab.tasks.created_at IS 'creation time';
COMMENT ON COLUMN collab.tasks.updated_at IS 'update time';
COMMENT ON COLUMN collab.tasks.archived IS 'whether it was read from the list of archived tasks';
COMMENT ON COLUMN collab.tasks.comment_count IS 'number of comments';
COMMENT ON COLUMN collab.tasks.todo_count IS 'number of checklist items';
COMMENT ON COLUMN collab.tasks.todo_checked_count IS 'number of completed checklist items';
COMMENT ON COLUMN collab.tasks.file_count IS 'number of attachments';
COMMENT ON COLUMN collab.tasks.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.tasks.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab.tasks.deleted_at IS 'start of the run that found it gone; null while it exists';
COMMENT ON COLUMN collab.tasks.record_hash IS 'hash of the record with its lists as it was read, by which the next run knows that nothing changed; null: to be compared value by value';

CREATE TABLE collab.users (
    uid text NOT NULL COLLATE pg_catalog."C",
    name text,
    display_name text,
    avatar text,
    description text,
    status smallint,
    online smallint,
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone
);

COMMENT ON TABLE collab.users IS 'Users, as they are embedded in other records; never marked deleted';
COMMENT ON COLUMN collab.users.uid IS 'user id';
COMMENT ON COLUMN collab.users.name IS 'user name';
COMMENT ON COLUMN collab.users.display_name IS 'nickname';
COMMENT ON COLUMN collab.users.avatar IS 'avatar file name';
COMMENT ON COLUMN collab.users.description IS 'user description (may be empty)';
COMMENT ON COLUMN collab.users.status IS 'state of the account: 1 = normal, 2 = invited, 3 = needs e-mail confirmation';
COMMENT ON COLUMN collab.users.online IS 'presence when last read: 0 = offline, 1 = online, 2 = busy, 3 = away';
COMMENT ON COLUMN collab.users.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.users.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab.users.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE TABLE collab.webhooks (
    wid text NOT NULL COLLATE pg_catalog."C",
    pid text COLLATE pg_catalog."C",
    uid text COLLATE pg_catalog."C",
    name text,
    url text,
    actions text[],
    is_every boolean,
    type smallint,
    created_at timestamp with time zone,
    updated_at timestamp with time zone,
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone
);

COMMENT ON TABLE collab.webhooks IS 'Webhooks of projects and personal ones';
COMMENT ON COLUMN collab.webhooks.wid IS 'webhook id';
COMMENT ON COLUMN collab.webhooks.pid IS 'project id; null for a personal webhook';
COMMENT ON COLUMN collab.webhooks.uid IS 'id of the user who set the webhook';
COMMENT ON COLUMN collab.webhooks.name IS 'webhook name';
COMMENT ON COLUMN collab.webhooks.url IS 'target URL';
COMMENT ON COLUMN collab.webhooks.actions IS 'event kinds of a project webhook';
COMMENT ON COLUMN collab.webhooks.is_every IS 'whether it is sent every event';
COMMENT ON COLUMN collab.webhooks.type IS 'kind: 0 = project webhook, 1 = personal webhook';
COMMENT ON COLUMN collab.webhooks.created_at IS 'creation time';
COMMENT ON COLUMN collab.webhooks.updated_at IS 'update time';
COMMENT ON COLUMN collab.webhooks.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.webhooks.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab.webhooks.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE TABLE collab_history.comment_files (
    pid text NOT NULL COLLATE pg_catalog."C",
    cid text NOT NULL COLLATE pg_catalog."C",
    fid text NOT NULL COLLATE pg_catalog."C",
    name text,
    description text,
    size_bytes bigint,
    path text,
    folder_id text COLLATE pg_catalog."C",
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone NOT NULL,
    parent_kind text NOT NULL COLLATE pg_catalog."C",
    parent_id text NOT NULL COLLATE pg_catalog."C"
);

COMMENT ON TABLE collab_history.comment_files IS 'Versions of comment_files that were superseded or deleted';
COMMENT ON COLUMN collab_history.comment_files.pid IS 'project id';
COMMENT ON COLUMN collab_history.comment_files.cid IS 'comment id';
COMMENT ON COLUMN collab_history.comment_files.fid IS 'file id';
COMMENT ON COLUMN collab_history.comment_files.name IS 'file name';
COMMENT ON COLUMN collab_history.comment_files.description IS 'file description';
COMMENT ON COLUMN collab_history.comment_files.size_bytes IS 'size in bytes';
COMMENT ON COLUMN collab_history.comment_files.path IS 'file path';
COMMENT ON COLUMN collab_history.comment_files.folder_id IS 'containing folder id; null at the top';
COMMENT ON COLUMN collab_history.comment_files.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab_history.comment_files.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab_history.comment_files.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';
COMMENT ON COLUMN collab_history.comment_files.parent_kind IS 'what was commented on: post or file';
COMMENT ON COLUMN collab_history.comment_files.parent_id IS 'post or file id, by parent_kind';

CREATE TABLE collab_history.entries (
    pid text NOT NULL COLLATE pg_catalog."C",
    entry_id text NOT NULL COLLATE pg_catalog."C",
    name text,
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone NOT NULL
);

COMMENT ON TABLE collab_history.entries IS 'Versions of entries that were superseded or deleted';
COMMENT ON COLUMN collab_history.entries.pid IS 'project id';
COMMENT ON COLUMN collab_history.entries.entry_id IS 'task group id';
COMMENT ON COLUMN collab_history.entries.name IS 'task group name, as the task that was updated last shows it; tasks that show another have it in extra';
COMMENT ON COLUMN collab_history.entries.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab_history.entries.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab_history.entries.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';

CREATE TABLE collab_history.event_attendees (
    pid text NOT NULL COLLATE pg_catalog."C",
    event_id text NOT NULL COLLATE pg_catalog."C",
    uid text NOT NULL COLLATE pg_catalog."C",
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone NOT NULL,
    starts_at timestamp with time zone NOT NULL
);

COMMENT ON TABLE collab_history.event_attendees IS 'Versions of event_attendees that were superseded or deleted';
COMMENT ON COLUMN collab_history.event_attendees.pid IS 'project id';
COMMENT ON COLUMN collab_history.event_attendees.event_id IS 'event id';
COMMENT ON COLUMN collab_history.event_attendees.uid IS 'user id';
COMMENT ON COLUMN collab_history.event_attendees.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab_history.event_attendees.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab_history.event_attendees.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';
COMMENT ON COLUMN collab_history.event_attendees.starts_at IS 'start time of the occurrence';

CREATE TABLE collab_history.events (
    pid text NOT NULL COLLATE pg_catalog."C",
    event_id text NOT NULL COLLATE pg_catalog."C",
    starts_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone,
    name text,
    summary text,
    location text,
    email text,
    description text,
    recurrence smallint,
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone NOT NULL
);

COMMENT ON TABLE collab_history.events IS 'Versions of events that were superseded or deleted';
COMMENT ON COLUMN collab_history.events.pid IS 'project id';
COMMENT ON COLUMN collab_history.events.event_id IS 'event id';
COMMENT ON COLUMN collab_history.events.starts_at IS 'start time';
COMMENT ON COLUMN collab_history.events.ends_at IS 'end time';
COMMENT ON COLUMN collab_history.events.name IS 'event content';
COMMENT ON COLUMN collab_history.events.summary IS 'event description';
COMMENT ON COLUMN collab_history.events.location IS 'place; null when the service leaves it out';
COMMENT ON COLUMN collab_history.events.email IS 'e-mail of the user; null when the service leaves it out';
COMMENT ON COLUMN collab_history.events.description IS 'description of the user; null when the service leaves it out';
COMMENT ON COLUMN collab_history.events.recurrence IS 'how it recurs: 0 = not, 1 = daily, 2 = weekly, 3 = monthly, 4 = yearly';
COMMENT ON COLUMN collab_history.events.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab_history.events.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab_history.events.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';

CREATE TABLE collab_history.file_comments (
    pid text NOT NULL COLLATE pg_catalog."C",
    fid text NOT NULL COLLATE pg_catalog."C",
    cid text NOT NULL COLLATE pg_catalog."C",
    message text,
    raw_message text,
    type smallint,
    format smallint,
    owner_uid text COLLATE pg_catalog."C",
    created_at timestamp with time zone,
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone NOT NULL
);

COMMENT ON TABLE collab_history.file_comments IS 'Versions of file_comments that were superseded or deleted';
COMMENT ON COLUMN collab_history.file_comments.pid IS 'project id';
COMMENT ON COLUMN collab_history.file_comments.fid IS 'file id';
COMMENT ON COLUMN collab_history.file_comments.cid IS 'comment id';
COMMENT ON COLUMN collab_history.file_comments.message IS 'content';
COMMENT ON COLUMN collab_history.file_comments.raw_message IS 'content in markdown';
COMMENT ON COLUMN collab_history.file_comments.type IS 'kind of content: 1 = text, 2 = emotion, 3 = audio';
COMMENT ON COLUMN collab_history.file_comments.format IS 'format of the content: 1 = text, 2 = html';
COMMENT ON COLUMN collab_history.file_comments.owner_uid IS 'user id of the author';
COMMENT ON COLUMN collab_history.file_comments.created_at IS 'comment time';
COMMENT ON COLUMN collab_history.file_comments.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab_history.file_comments.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab_history.file_comments.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';

CREATE TABLE collab_history.file_watchers (
    pid text NOT NULL COLLATE pg_catalog."C",
    fid text NOT NULL COLLATE pg_catalog."C",
    uid text NOT NULL COLLATE pg_catalog."C",
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone NOT NULL
);

COMMENT ON TABLE collab_history.file_watchers IS 'Versions of file_watchers that were superseded or deleted';
COMMENT ON COLUMN collab_history.file_watchers.pid IS 'project id';
COMMENT ON COLUMN collab_history.file_watchers.fid IS 'file id';
COMMENT ON COLUMN collab_history.file_watchers.uid IS 'user id';
COMMENT ON COLUMN collab_history.file_watchers.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab_history.file_watchers.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab_history.file_watchers.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';

CREATE TABLE collab_history.files (
    pid text NOT NULL COLLATE pg_catalog."C",
    fid text NOT NULL COLLATE pg_catalog."C",
    name text,
    description text,
    size_bytes bigint,
    path text,
    folder_id text COLLATE pg_catalog."C",
    type smallint,
    created_at timestamp with time zone,
    updated_at timestamp with time zone,
    owner_uid text COLLATE pg_catalog."C",
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone NOT NULL
);

COMMENT ON TABLE collab_history.files IS 'Versions of files that were superseded or deleted';
COMMENT ON COLUMN collab_history.files.pid IS 'project id';
COMMENT ON COLUMN collab_history.files.fid IS 'file id';
COMMENT ON COLUMN collab_history.files.name IS 'name';
COMMENT ON COLUMN collab_history.files.description IS 'description';
COMMENT ON COLUMN collab_history.files.size_bytes IS 'size in bytes';
COMMENT ON COLUMN collab_history.files.path IS 'path';
COMMENT ON COLUMN collab_history.files.folder_id IS 'parent folder id; null at the top';
COMMENT ON COLUMN collab_history.files.type IS 'kind: 0 = file, 1 = folder';
COMMENT ON COLUMN collab_history.files.created_at IS 'upload time';
COMMENT ON COLUMN collab_history.files.updated_at IS 'update time';
COMMENT ON COLUMN collab_history.files.owner_uid IS 'user id of the uploader';
COMMENT ON COLUMN collab_history.files.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab_history.files.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab_history.files.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';

CREATE TABLE collab_history.page_watchers (
    pid text NOT NULL COLLATE pg_catalog."C",
    page_id text NOT NULL COLLATE pg_catalog."C",
    uid text NOT NULL COLLATE pg_catalog."C",
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone NOT NULL
);

COMMENT ON TABLE collab_history.page_watchers IS 'Versions of page_watchers that were superseded or deleted';
COMMENT ON COLUMN collab_history.page_watchers.pid IS 'project id';
COMMENT ON COLUMN collab_history.page_watchers.page_id IS 'document id';
COMMENT ON COLUMN collab_history.page_watchers.uid IS 'user id';
COMMENT ON COLUMN collab_history.page_watchers.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab_history.page_watchers.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab_history.page_watchers.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';

CREATE TABLE collab_history.pages (
    pid text NOT NULL COLLATE pg_catalog."C",
    page_id text NOT NULL COLLATE pg_catalog."C",
    parent_id text COLLATE pg_catalog."C",
    name text,
    summary text,
    content text,
    created_at timestamp with time zone,
    updated_at timestamp with time zone,
    owner_uid text COLLATE pg_catalog."C",
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone NOT NULL
);

COMMENT ON TABLE collab_history.pages IS 'Versions of pages that were superseded or deleted';
COMMENT ON COLUMN collab_history.pages.pid IS 'project id';
COMMENT ON COLUMN collab_history.pages.page_id IS 'document id';
COMMENT ON COLUMN collab_history.pages.parent_id IS 'parent document id; null at the top level';
COMMENT ON COLUMN collab_history.pages.name IS 'document name';
COMMENT ON COLUMN collab_history.pages.summary IS 'document content';
COMMENT ON COLUMN collab_history.pages.content IS 'content in markdown';
COMMENT ON COLUMN collab_history.pages.created_at IS 'creation time';
COMMENT ON COLUMN collab_history.pages.updated_at IS 'update time';
COMMENT ON COLUMN collab_history.pages.owner_uid IS 'user id of the creator';
COMMENT ON COLUMN collab_history.pages.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab_history.pages.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab_history.pages.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';

CREATE TABLE collab_history.post_comments (
    pid text NOT NULL COLLATE pg_catalog."C",
    post_id text NOT NULL COLLATE pg_catalog."C",
    cid text NOT NULL COLLATE pg_catalog."C",
    message text,
    raw_message text,
    type smallint,
    format smallint,
    owner_uid text COLLATE pg_catalog."C",
    created_at timestamp with time zone,
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone NOT NULL
);

COMMENT ON TABLE collab_history.post_comments IS 'Versions of post_comments that were superseded or deleted';
COMMENT ON COLUMN collab_history.post_comments.pid IS 'project id';
COMMENT ON COLUMN collab_history.post_comments.post_id IS 'post id';
COMMENT ON COLUMN collab_history.post_comments.cid IS 'comment id';
COMMENT ON COLUMN collab_history.post_comments.message IS 'content';
COMMENT ON COLUMN collab_history.post_comments.raw_message IS 'content in markdown';
COMMENT ON COLUMN collab_history.post_comments.type IS 'kind of content: 1 = text, 2 = emotion, 3 = audio';
COMMENT ON COLUMN collab_history.post_comments.format IS 'format of the content: 1 = text, 2 = html';
COMMENT ON COLUMN collab_history.post_comments.owner_uid IS 'user id of the author';
COMMENT ON COLUMN collab_history.post_comments.created_at IS 'comment time';
COMMENT ON COLUMN collab_history.post_comments.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab_history.post_comments.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab_history.post_comments.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';

CREATE TABLE collab_history.post_watchers (
    pid text NOT NULL COLLATE pg_catalog."C",
    post_id text NOT NULL COLLATE pg_catalog."C",
    uid text NOT NULL COLLATE pg_catalog."C",
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone NOT NULL
);

COMMENT ON TABLE collab_history.post_watchers IS 'Versions of post_watchers that were superseded or deleted';
COMMENT ON COLUMN collab_history.post_watchers.pid IS 'project id';
COMMENT ON COLUMN collab_history.post_watchers.post_id IS 'post id';
COMMENT ON COLUMN collab_history.post_watchers.uid IS 'user id';
COMMENT ON COLUMN collab_history.post_watchers.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab_history.post_watchers.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab_history.post_watchers.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';

CREATE TABLE collab_history.posts (
    pid text NOT NULL COLLATE pg_catalog."C",
    post_id text NOT NULL COLLATE pg_catalog."C",
    name text,
    summary text,
    content text,
    created_at timestamp with time zone,
    updated_at timestamp with time zone,
    owner_uid text COLLATE pg_catalog."C",
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone NOT NULL
);

COMMENT ON TABLE collab_history.posts IS 'Versions of posts that were superseded or deleted';
COMMENT ON COLUMN collab_history.posts.pid IS 'project id';
COMMENT ON COLUMN collab_history.posts.post_id IS 'post id';
COMMENT ON COLUMN collab_history.posts.name IS 'title';
COMMENT ON COLUMN collab_history.posts.summary IS 'content';
COMMENT ON COLUMN collab_history.posts.content IS 'content in markdown';
COMMENT ON COLUMN collab_history.posts.created_at IS 'creation time';
COMMENT ON COLUMN collab_history.posts.updated_at IS 'update time';
COMMENT ON COLUMN collab_history.posts.owner_uid IS 'user id of the creator';
COMMENT ON COLUMN collab_history.posts.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab_history.posts.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab_history.posts.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';

CREATE TABLE collab_history.project_labels (
    pid text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    description text,
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone NOT NULL
);

COMMENT ON TABLE collab_history.project_labels IS 'Versions of project_labels that were superseded or deleted';
COMMENT ON COLUMN collab_history.project_labels.pid IS 'project id';
COMMENT ON COLUMN collab_history.project_labels.name IS 'label name (a colour word)';
COMMENT ON COLUMN collab_history.project_labels.description IS 'label description';
COMMENT ON COLUMN collab_history.project_labels.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab_history.project_labels.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab_history.project_labels.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';

CREATE TABLE collab_history.projects (
    pid text NOT NULL COLLATE pg_catalog."C",
    name text,
    description text,
    archived boolean,
    pic text,
    bg text,
    visibility smallint,
    team_id text COLLATE pg_catalog."C",
    is_starred boolean,
    "position" double precision,
    member_count integer,
    curr_role smallint,
    permission smallint,
    created_by_uid text COLLATE pg_catalog."C",
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone NOT NULL,
    unlisted_since timestamp with time zone
);

COMMENT ON TABLE collab_history.projects IS 'Versions of projects that were superseded or deleted';
COMMENT ON COLUMN collab_history.projects.pid IS 'project id';
COMMENT ON COLUMN collab_history.projects.name IS 'project name';
COMMENT ON COLUMN collab_history.projects.description IS 'description';
COMMENT ON COLUMN collab_history.projects.archived IS 'whether the project is archived';
COMMENT ON COLUMN collab_history.projects.pic IS 'icon';
COMMENT ON COLUMN collab_history.projects.bg IS 'background colour';
COMMENT ON COLUMN collab_history.projects.visibility IS 'who may see it: 1 = private, 2 = team, 3 = public';
COMMENT ON COLUMN collab_history.projects.team_id IS 'team id';
COMMENT ON COLUMN collab_history.projects.is_starred IS 'whether it is a favourite of the token''s user';
COMMENT ON COLUMN collab_history.projects."position" IS 'position in the user''s list (may be fractional)';
COMMENT ON COLUMN collab_history.projects.member_count IS 'number of members';
COMMENT ON COLUMN collab_history.projects.curr_role IS 'role of the token''s user: 1 = administrator, 2 = member, 3 = visitor, 4 = guest';
COMMENT ON COLUMN collab_history.projects.permission IS 'permission of the token''s user: 0 = cannot operate, 5 = guest, 7 = visitor, 15 = member, 31 = administrator';
COMMENT ON COLUMN collab_history.projects.created_by_uid IS 'user id of the creator';
COMMENT ON COLUMN collab_history.projects.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab_history.projects.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab_history.projects.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';
COMMENT ON COLUMN collab_history.projects.unlisted_since IS 'start of the run that first found it missing from the list though it could be read; null while it is listed; what the list alone shows (is_starred to permission) stays as it was last listed';

CREATE TABLE collab_history.task_labels (
    pid text NOT NULL COLLATE pg_catalog."C",
    tid text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    description text,
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone NOT NULL
);

COMMENT ON TABLE collab_history.task_labels IS 'Versions of task_labels that were superseded or deleted';
COMMENT ON COLUMN collab_history.task_labels.pid IS 'project id';
COMMENT ON COLUMN collab_history.task_labels.tid IS 'task id';
COMMENT ON COLUMN collab_history.task_labels.name IS 'label name (a colour word)';
COMMENT ON COLUMN collab_history.task_labels.description IS 'label description';
COMMENT ON COLUMN collab_history.task_labels.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab_history.task_labels.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab_history.task_labels.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';

CREATE TABLE collab_history.task_members (
    pid text NOT NULL COLLATE pg_catalog."C",
    tid text NOT NULL COLLATE pg_catalog."C",
    uid text NOT NULL COLLATE pg_catalog."C",
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone NOT NULL
);

COMMENT ON TABLE collab_history.task_members IS 'Versions of task_members that were superseded or deleted';
COMMENT ON COLUMN collab_history.task_members.pid IS 'project id';
COMMENT ON COLUMN collab_history.task_members.tid IS 'task id';
COMMENT ON COLUMN collab_history.task_members.uid IS 'user id';
COMMENT ON COLUMN collab_history.task_members.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab_history.task_members.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab_history.task_members.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';

CREATE TABLE collab_history.task_todos (
    pid text NOT NULL COLLATE pg_catalog."C",
    tid text NOT NULL COLLATE pg_catalog."C",
    todo_id text NOT NULL COLLATE pg_catalog."C",
    name text,
    checked boolean,
    "position" double precision,
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone NOT NULL
);

COMMENT ON TABLE collab_history.task_todos IS 'Versions of task_todos that were superseded or deleted';
COMMENT ON COLUMN collab_history.task_todos.pid IS 'project id';
COMMENT ON COLUMN collab_history.task_todos.tid IS 'task id';
COMMENT ON COLUMN collab_history.task_todos.todo_id IS 'checklist item id';
COMMENT ON COLUMN collab_history.task_todos.name IS 'checklist item name';
COMMENT ON COLUMN collab_history.task_todos.checked IS 'whether it is done';
COMMENT ON COLUMN collab_history.task_todos."position" IS 'position';
COMMENT ON COLUMN collab_history.task_todos.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab_history.task_todos.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab_history.task_todos.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';

CREATE TABLE collab_history.task_watchers (
    pid text NOT NULL COLLATE pg_catalog."C",
    tid text NOT NULL COLLATE pg_catalog."C",
    uid text NOT NULL COLLATE pg_catalog."C",
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone NOT NULL
);

COMMENT ON TABLE collab_history.task_watchers IS 'Versions of task_watchers that were superseded or deleted';
COMMENT ON COLUMN collab_history.task_watchers.pid IS 'project id';
COMMENT ON COLUMN collab_history.task_watchers.tid IS 'task id';
COMMENT ON COLUMN collab_history.task_watchers.uid IS 'user id';
COMMENT ON COLUMN collab_history.task_watchers.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab_history.task_watchers.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab_history.task_watchers.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';

CREATE TABLE collab_history.tasks (
    pid text NOT NULL COLLATE pg_catalog."C",
    tid text NOT NULL COLLATE pg_catalog."C",
    entry_id text COLLATE pg_catalog."C",
    name text,
    description text,
    "position" double precision,
    completed boolean,
    completed_at timestamp with time zone,
    due_at timestamp with time zone,
    created_at timestamp with time zone,
    updated_at timestamp with time zone,
    archived boolean,
    comment_count integer,
    todo_count integer,
    todo_checked_count integer,
    file_count integer,
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone NOT NULL
);

COMMENT ON TABLE collab_history.tasks IS 'Versions of tasks that were superseded or deleted';
COMMENT ON COLUMN collab_history.tasks.pid IS 'project id';
COMMENT ON COLUMN collab_history.tasks.tid IS 'task id';
COMMENT ON COLUMN collab_history.tasks.entry_id IS 'task group id; null when in none';
COMMENT ON COLUMN collab_history.tasks.name IS 'task name';
COMMENT ON COLUMN collab_history.tasks.description IS 'task description';
COMMENT ON COLUMN collab_history.tasks."position" IS 'position; null when the task is in the archived list alone, where it has none';
COMMENT ON COLUMN collab_history.tasks.completed IS 'whether the task is completed';
COMMENT ON COLUMN collab_history.tasks.completed_at IS 'completion time; the archived list does not have it: an archived task keeps the last known one while it is completed; null when there is none, or none was ever read';
COMMENT ON COLUMN collab_history.tasks.due_at IS 'due date; null when there is none';
COMMENT ON COLUMN collab_history.tasks.created_at IS 'creation time';
COMMENT ON COLUMN collab_history.tasks.updated_at IS 'update time';
COMMENT ON COLUMN collab_history.tasks.archived IS 'whether it was read from the list of archived tasks';
COMMENT ON COLUMN collab_history.tasks.comment_count IS 'number of comments';
COMMENT ON COLUMN collab_history.tasks.todo_count IS 'number of checklist items';
COMMENT ON COLUMN collab_history.tasks.todo_checked_count IS 'number of completed checklist items';
COMMENT ON COLUMN collab_history.tasks.file_count IS 'number of attachments';
COMMENT ON COLUMN collab_history.tasks.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab_history.tasks.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab_history.tasks.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';

CREATE TABLE collab_history.users (
    uid text NOT NULL COLLATE pg_catalog."C",
    name text,
    display_name text,
    avatar text,
    description text,
    status smallint,
    online smallint,
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone NOT NULL
);

COMMENT ON TABLE collab_history.users IS 'Versions of users that were superseded or deleted';
COMMENT ON COLUMN collab_history.users.uid IS 'user id';
COMMENT ON COLUMN collab_history.users.name IS 'user name';
COMMENT ON COLUMN collab_history.users.display_name IS 'nickname';
COMMENT ON COLUMN collab_history.users.avatar IS 'avatar file name';
COMMENT ON COLUMN collab_history.users.description IS 'user description (may be empty)';
COMMENT ON COLUMN collab_history.users.status IS 'state of the account: 1 = normal, 2 = invited, 3 = needs e-mail confirmation';
COMMENT ON COLUMN collab_history.users.online IS 'presence when last read: 0 = offline, 1 = online, 2 = busy, 3 = away';
COMMENT ON COLUMN collab_history.users.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab_history.users.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab_history.users.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';

CREATE TABLE collab_history.webhooks (
    wid text NOT NULL COLLATE pg_catalog."C",
    pid text COLLATE pg_catalog."C",
    uid text COLLATE pg_catalog."C",
    name text,
    url text,
    actions text[],
    is_every boolean,
    type smallint,
    created_at timestamp with time zone,
    updated_at timestamp with time zone,
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone NOT NULL
);

COMMENT ON TABLE collab_history.webhooks IS 'Versions of webhooks that were superseded or deleted';
COMMENT ON COLUMN collab_history.webhooks.wid IS 'webhook id';
COMMENT ON COLUMN collab_history.webhooks.pid IS 'project id; null for a personal webhook';
COMMENT ON COLUMN collab_history.webhooks.uid IS 'id of the user who set the webhook';
COMMENT ON COLUMN collab_history.webhooks.name IS 'webhook name';
COMMENT ON COLUMN collab_history.webhooks.url IS 'target URL';
COMMENT ON COLUMN collab_history.webhooks.actions IS 'event kinds of a project webhook';
COMMENT ON COLUMN collab_history.webhooks.is_every IS 'whether it is sent every event';
COMMENT ON COLUMN collab_history.webhooks.type IS 'kind: 0 = project webhook, 1 = personal webhook';
COMMENT ON COLUMN collab_history.webhooks.created_at IS 'creation time';
COMMENT ON COLUMN collab_history.webhooks.updated_at IS 'update time';
COMMENT ON COLUMN collab_history.webhooks.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab_history.webhooks.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab_history.webhooks.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';

CREATE VIEW collab.changes AS
 SELECT known.changed_at,
    known.run_id,
    known.table_name,
    known.pid,
    known.key,
    known.change,
    known.columns,
    known.old_values,
    known.new_values,
    known.table_number,
    project.name AS project_name
   FROM (( SELECT v.changed_at,
            v.run_id,
            v.table_name,
            v.pid,
            v.key,
                CASE
                    WHEN (v.old_values IS NULL) THEN 'added'::text
                    WHEN (v.new_values IS NULL) THEN 'deleted'::text
                    ELSE 'changed'::text
                END AS change,
            d.columns,
            COALESCE(d.old_values, v.old_values) AS old_values,
            COALESCE(d.new_values, v.new_values) AS new_values,
            v.table_number
           FROM (( SELECT run.started_at AS changed_at,
                    run.run_id,
                    written.table_number,
                    written.table_name,
                    written.pid,
                    written.key,
                    written.old_values,
                    written.new_values
                   FROM (collab.runs run
                     CROSS JOIN LATERAL ( SELECT 1 AS table_number,
                            'projects'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT projects.pid,
    projects.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('name', projects.name, 'description', projects.description, 'archived', projects.archived, 'pic', projects.pic, 'bg', projects.bg, 'visibility', projects.visibility, 'team_id', projects.team_id, 'is_starred', projects.is_starred, 'position', projects."position", 'member_count', projects.member_count, 'curr_role', projects.curr_role, 'permission', projects.permission, 'created_by_uid', projects.created_by_uid, 'extra', projects.extra, 'unlisted_since', projects.unlisted_since) AS row_values
   FROM collab.projects
  WHERE ((projects.deleted_at IS NULL) AND (projects.valid_from >= run.started_at) AND (projects.valid_from <= run.started_at))
UNION ALL
 SELECT projects.pid,
    projects.valid_from,
    true,
    jsonb_build_object('name', projects.name, 'description', projects.description, 'archived', projects.archived, 'pic', projects.pic, 'bg', projects.bg, 'visibility', projects.visibility, 'team_id', projects.team_id, 'is_starred', projects.is_starred, 'position', projects."position", 'member_count', projects.member_count, 'curr_role', projects.curr_role, 'permission', projects.permission, 'created_by_uid', projects.created_by_uid, 'extra', projects.extra, 'unlisted_since', projects.unlisted_since) AS jsonb_build_object
   FROM collab_history.projects
  WHERE ((projects.valid_from < projects.valid_to) AND (projects.valid_from >= run.started_at) AND (projects.valid_from <= run.started_at))
UNION ALL
 SELECT projects.pid,
    projects.valid_to,
    false,
    jsonb_build_object('name', projects.name, 'description', projects.description, 'archived', projects.archived, 'pic', projects.pic, 'bg', projects.bg, 'visibility', projects.visibility, 'team_id', projects.team_id, 'is_starred', projects.is_starred, 'position', projects."position", 'member_count', projects.member_count, 'curr_role', projects.curr_role, 'permission', projects.permission, 'created_by_uid', projects.created_by_uid, 'extra', projects.extra, 'unlisted_since', projects.unlisted_since) AS jsonb_build_object
   FROM collab_history.projects
  WHERE ((projects.valid_from < projects.valid_to) AND (projects.valid_to >= run.started_at) AND (projects.valid_to <= run.started_at))) version
                                  GROUP BY version.pid, version.changed_at) record
                        UNION ALL
                         SELECT 2 AS table_number,
                            'project_labels'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'name', record.name) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.name,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT project_labels.pid,
    project_labels.name,
    project_labels.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('description', project_labels.description, 'extra', project_labels.extra) AS row_values
   FROM collab.project_labels
  WHERE ((project_labels.deleted_at IS NULL) AND (project_labels.valid_from >= run.started_at) AND (project_labels.valid_from <= run.started_at))
UNION ALL
 SELECT project_labels.pid,
    project_labels.name,
    project_labels.valid_from,
    true,
    jsonb_build_object('description', project_labels.description, 'extra', project_labels.extra) AS jsonb_build_object
   FROM collab_history.project_labels
  WHERE ((project_labels.valid_from < project_labels.valid_to) AND (project_labels.valid_from >= run.started_at) AND (project_labels.valid_from <= run.started_at))
UNION ALL
 SELECT project_labels.pid,
    project_labels.name,
    project_labels.valid_to,
    false,
    jsonb_build_object('description', project_labels.description, 'extra', project_labels.extra) AS jsonb_build_object
   FROM collab_history.project_labels
  WHERE ((project_labels.valid_from < project_labels.valid_to) AND (project_labels.valid_to >= run.started_at) AND (project_labels.valid_to <= run.started_at))) version
                                  GROUP BY version.pid, version.name, version.changed_at) record
                        UNION ALL
                         SELECT 3 AS table_number,
                            'users'::text AS table_name,
                            NULL::text AS pid,
                            jsonb_build_object('uid', record.uid) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.uid,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT users.uid,
    users.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('name', users.name, 'display_name', users.display_name, 'avatar', users.avatar, 'description', users.description, 'status', users.status, 'online', users.online, 'extra', users.extra) AS row_values
   FROM collab.users
  WHERE ((users.deleted_at IS NULL) AND (users.valid_from >= run.started_at) AND (users.valid_from <= run.started_at))
UNION ALL
 SELECT users.uid,
    users.valid_from,
    true,
    jsonb_build_object('name', users.name, 'display_name', users.display_name, 'avatar', users.avatar, 'description', users.description, 'status', users.status, 'online', users.online, 'extra', users.extra) AS jsonb_build_object
   FROM collab_history.users
  WHERE ((users.valid_from < users.valid_to) AND (users.valid_from >= run.started_at) AND (users.valid_from <= run.started_at))
UNION ALL
 SELECT users.uid,
    users.valid_to,
    false,
    jsonb_build_object('name', users.name, 'display_name', users.display_name, 'avatar', users.avatar, 'description', users.description, 'status', users.status, 'online', users.online, 'extra', users.extra) AS jsonb_build_object
   FROM collab_history.users
  WHERE ((users.valid_from < users.valid_to) AND (users.valid_to >= run.started_at) AND (users.valid_to <= run.started_at))) version
                                  GROUP BY version.uid, version.changed_at) record
                        UNION ALL
                         SELECT 4 AS table_number,
                            'entries'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'entry_id', record.entry_id) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.entry_id,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT entries.pid,
    entries.entry_id,
    entries.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('name', entries.name, 'extra', entries.extra) AS row_values
   FROM collab.entries
  WHERE ((entries.deleted_at IS NULL) AND (entries.valid_from >= run.started_at) AND (entries.valid_from <= run.started_at))
UNION ALL
 SELECT entries.pid,
    entries.entry_id,
    entries.valid_from,
    true,
    jsonb_build_object('name', entries.name, 'extra', entries.extra) AS jsonb_build_object
   FROM collab_history.entries
  WHERE ((entries.valid_from < entries.valid_to) AND (entries.valid_from >= run.started_at) AND (entries.valid_from <= run.started_at))
UNION ALL
 SELECT entries.pid,
    entries.entry_id,
    entries.valid_to,
    false,
    jsonb_build_object('name', entries.name, 'extra', entries.extra) AS jsonb_build_object
   FROM collab_history.entries
  WHERE ((entries.valid_from < entries.valid_to) AND (entries.valid_to >= run.started_at) AND (entries.valid_to <= run.started_at))) version
                                  GROUP BY version.pid, version.entry_id, version.changed_at) record
                        UNION ALL
                         SELECT 5 AS table_number,
                            'tasks'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'tid', record.tid) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.tid,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT tasks.pid,
    tasks.tid,
    tasks.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('entry_id', tasks.entry_id, 'name', tasks.name, 'description', tasks.description, 'position', tasks."position", 'completed', tasks.completed, 'completed_at', tasks.completed_at, 'due_at', tasks.due_at, 'created_at', tasks.created_at, 'updated_at', tasks.updated_at, 'archived', tasks.archived, 'comment_count', tasks.comment_count, 'todo_count', tasks.todo_count, 'todo_checked_count', tasks.todo_checked_count, 'file_count', tasks.file_count, 'extra', tasks.extra) AS row_values
   FROM collab.tasks
  WHERE ((tasks.deleted_at IS NULL) AND (tasks.valid_from >= run.started_at) AND (tasks.valid_from <= run.started_at))
UNION ALL
 SELECT tasks.pid,
    tasks.tid,
    tasks.valid_from,
    true,
    jsonb_build_object('entry_id', tasks.entry_id, 'name', tasks.name, 'description', tasks.description, 'position', tasks."position", 'completed', tasks.completed, 'completed_at', tasks.completed_at, 'due_at', tasks.due_at, 'created_at', tasks.created_at, 'updated_at', tasks.updated_at, 'archived', tasks.archived, 'comment_count', tasks.comment_count, 'todo_count', tasks.todo_count, 'todo_checked_count', tasks.todo_checked_count, 'file_count', tasks.file_count, 'extra', tasks.extra) AS jsonb_build_object
   FROM collab_history.tasks
  WHERE ((tasks.valid_from < tasks.valid_to) AND (tasks.valid_from >= run.started_at) AND (tasks.valid_from <= run.started_at))
UNION ALL
 SELECT tasks.pid,
    tasks.tid,
    tasks.valid_to,
    false,
    jsonb_build_object('entry_id', tasks.entry_id, 'name', tasks.name, 'description', tasks.description, 'position', tasks."position", 'completed', tasks.completed, 'completed_at', tasks.completed_at, 'due_at', tasks.due_at, 'created_at', tasks.created_at, 'updated_at', tasks.updated_at, 'archived', tasks.archived, 'comment_count', tasks.comment_count, 'todo_count', tasks.todo_count, 'todo_checked_count', tasks.todo_checked_count, 'file_count', tasks.file_count, 'extra', tasks.extra) AS jsonb_build_object
   FROM collab_history.tasks
  WHERE ((tasks.valid_from < tasks.valid_to) AND (tasks.valid_to >= run.started_at) AND (tasks.valid_to <= run.started_at))) version
                                  GROUP BY version.pid, version.tid, version.changed_at) record
                        UNION ALL
                         SELECT 6 AS table_number,
                            'task_labels'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'tid', record.tid, 'name', record.name) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.tid,
                                    version.name,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT task_labels.pid,
    task_labels.tid,
    task_labels.name,
    task_labels.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('description', task_labels.description, 'extra', task_labels.extra) AS row_values
   FROM collab.task_labels
  WHERE ((task_labels.deleted_at IS NULL) AND (task_labels.valid_from >= run.started_at) AND (task_labels.valid_from <= run.started_at))
UNION ALL
 SELECT task_labels.pid,
    task_labels.tid,
    task_labels.name,
    task_labels.valid_from,
    true,
    jsonb_build_object('description', task_labels.description, 'extra', task_labels.extra) AS jsonb_build_object
   FROM collab_history.task_labels
  WHERE ((task_labels.valid_from < task_labels.valid_to) AND (task_labels.valid_from >= run.started_at) AND (task_labels.valid_from <= run.started_at))
UNION ALL
 SELECT task_labels.pid,
    task_labels.tid,
    task_labels.name,
    task_labels.valid_to,
    false,
    jsonb_build_object('description', task_labels.description, 'extra', task_labels.extra) AS jsonb_build_object
   FROM collab_history.task_labels
  WHERE ((task_labels.valid_from < task_labels.valid_to) AND (task_labels.valid_to >= run.started_at) AND (task_labels.valid_to <= run.started_at))) version
                                  GROUP BY version.pid, version.tid, version.name, version.changed_at) record
                        UNION ALL
                         SELECT 7 AS table_number,
                            'task_todos'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'tid', record.tid, 'todo_id', record.todo_id) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.tid,
                                    version.todo_id,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT task_todos.pid,
    task_todos.tid,
    task_todos.todo_id,
    task_todos.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('name', task_todos.name, 'checked', task_todos.checked, 'position', task_todos."position", 'extra', task_todos.extra) AS row_values
   FROM collab.task_todos
  WHERE ((task_todos.deleted_at IS NULL) AND (task_todos.valid_from >= run.started_at) AND (task_todos.valid_from <= run.started_at))
UNION ALL
 SELECT task_todos.pid,
    task_todos.tid,
    task_todos.todo_id,
    task_todos.valid_from,
    true,
    jsonb_build_object('name', task_todos.name, 'checked', task_todos.checked, 'position', task_todos."position", 'extra', task_todos.extra) AS jsonb_build_object
   FROM collab_history.task_todos
  WHERE ((task_todos.valid_from < task_todos.valid_to) AND (task_todos.valid_from >= run.started_at) AND (task_todos.valid_from <= run.started_at))
UNION ALL
 SELECT task_todos.pid,
    task_todos.tid,
    task_todos.todo_id,
    task_todos.valid_to,
    false,
    jsonb_build_object('name', task_todos.name, 'checked', task_todos.checked, 'position', task_todos."position", 'extra', task_todos.extra) AS jsonb_build_object
   FROM collab_history.task_todos
  WHERE ((task_todos.valid_from < task_todos.valid_to) AND (task_todos.valid_to >= run.started_at) AND (task_todos.valid_to <= run.started_at))) version
                                  GROUP BY version.pid, version.tid, version.todo_id, version.changed_at) record
                        UNION ALL
                         SELECT 8 AS table_number,
                            'task_members'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'tid', record.tid, 'uid', record.uid) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.tid,
                                    version.uid,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT task_members.pid,
    task_members.tid,
    task_members.uid,
    task_members.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('extra', task_members.extra) AS row_values
   FROM collab.task_members
  WHERE ((task_members.deleted_at IS NULL) AND (task_members.valid_from >= run.started_at) AND (task_members.valid_from <= run.started_at))
UNION ALL
 SELECT task_members.pid,
    task_members.tid,
    task_members.uid,
    task_members.valid_from,
    true,
    jsonb_build_object('extra', task_members.extra) AS jsonb_build_object
   FROM collab_history.task_members
  WHERE ((task_members.valid_from < task_members.valid_to) AND (task_members.valid_from >= run.started_at) AND (task_members.valid_from <= run.started_at))
UNION ALL
 SELECT task_members.pid,
    task_members.tid,
    task_members.uid,
    task_members.valid_to,
    false,
    jsonb_build_object('extra', task_members.extra) AS jsonb_build_object
   FROM collab_history.task_members
  WHERE ((task_members.valid_from < task_members.valid_to) AND (task_members.valid_to >= run.started_at) AND (task_members.valid_to <= run.started_at))) version
                                  GROUP BY version.pid, version.tid, version.uid, version.changed_at) record
                        UNION ALL
                         SELECT 9 AS table_number,
                            'task_watchers'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'tid', record.tid, 'uid', record.uid) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.tid,
                                    version.uid,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT task_watchers.pid,
    task_watchers.tid,
    task_watchers.uid,
    task_watchers.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('extra', task_watchers.extra) AS row_values
   FROM collab.task_watchers
  WHERE ((task_watchers.deleted_at IS NULL) AND (task_watchers.valid_from >= run.started_at) AND (task_watchers.valid_from <= run.started_at))
UNION ALL
 SELECT task_watchers.pid,
    task_watchers.tid,
    task_watchers.uid,
    task_watchers.valid_from,
    true,
    jsonb_build_object('extra', task_watchers.extra) AS jsonb_build_object
   FROM collab_history.task_watchers
  WHERE ((task_watchers.valid_from < task_watchers.valid_to) AND (task_watchers.valid_from >= run.started_at) AND (task_watchers.valid_from <= run.started_at))
UNION ALL
 SELECT task_watchers.pid,
    task_watchers.tid,
    task_watchers.uid,
    task_watchers.valid_to,
    false,
    jsonb_build_object('extra', task_watchers.extra) AS jsonb_build_object
   FROM collab_history.task_watchers
  WHERE ((task_watchers.valid_from < task_watchers.valid_to) AND (task_watchers.valid_to >= run.started_at) AND (task_watchers.valid_to <= run.started_at))) version
                                  GROUP BY version.pid, version.tid, version.uid, version.changed_at) record
                        UNION ALL
                         SELECT 10 AS table_number,
                            'pages'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'page_id', record.page_id) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.page_id,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT pages.pid,
    pages.page_id,
    pages.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('parent_id', pages.parent_id, 'name', pages.name, 'summary', pages.summary, 'content', pages.content, 'created_at', pages.created_at, 'updated_at', pages.updated_at, 'owner_uid', pages.owner_uid, 'extra', pages.extra) AS row_values
   FROM collab.pages
  WHERE ((pages.deleted_at IS NULL) AND (pages.valid_from >= run.started_at) AND (pages.valid_from <= run.started_at))
UNION ALL
 SELECT pages.pid,
    pages.page_id,
    pages.valid_from,
    true,
    jsonb_build_object('parent_id', pages.parent_id, 'name', pages.name, 'summary', pages.summary, 'content', pages.content, 'created_at', pages.created_at, 'updated_at', pages.updated_at, 'owner_uid', pages.owner_uid, 'extra', pages.extra) AS jsonb_build_object
   FROM collab_history.pages
  WHERE ((pages.valid_from < pages.valid_to) AND (pages.valid_from >= run.started_at) AND (pages.valid_from <= run.started_at))
UNION ALL
 SELECT pages.pid,
    pages.page_id,
    pages.valid_to,
    false,
    jsonb_build_object('parent_id', pages.parent_id, 'name', pages.name, 'summary', pages.summary, 'content', pages.content, 'created_at', pages.created_at, 'updated_at', pages.updated_at, 'owner_uid', pages.owner_uid, 'extra', pages.extra) AS jsonb_build_object
   FROM collab_history.pages
  WHERE ((pages.valid_from < pages.valid_to) AND (pages.valid_to >= run.started_at) AND (pages.valid_to <= run.started_at))) version
                                  GROUP BY version.pid, version.page_id, version.changed_at) record
                        UNION ALL
                         SELECT 11 AS table_number,
                            'page_watchers'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'page_id', record.page_id, 'uid', record.uid) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.page_id,
                                    version.uid,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT page_watchers.pid,
    page_watchers.page_id,
    page_watchers.uid,
    page_watchers.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('extra', page_watchers.extra) AS row_values
   FROM collab.page_watchers
  WHERE ((page_watchers.deleted_at IS NULL) AND (page_watchers.valid_from >= run.started_at) AND (page_watchers.valid_from <= run.started_at))
UNION ALL
 SELECT page_watchers.pid,
    page_watchers.page_id,
    page_watchers.uid,
    page_watchers.valid_from,
    true,
    jsonb_build_object('extra', page_watchers.extra) AS jsonb_build_object
   FROM collab_history.page_watchers
  WHERE ((page_watchers.valid_from < page_watchers.valid_to) AND (page_watchers.valid_from >= run.started_at) AND (page_watchers.valid_from <= run.started_at))
UNION ALL
 SELECT page_watchers.pid,
    page_watchers.page_id,
    page_watchers.uid,
    page_watchers.valid_to,
    false,
    jsonb_build_object('extra', page_watchers.extra) AS jsonb_build_object
   FROM collab_history.page_watchers
  WHERE ((page_watchers.valid_from < page_watchers.valid_to) AND (page_watchers.valid_to >= run.started_at) AND (page_watchers.valid_to <= run.started_at))) version
                                  GROUP BY version.pid, version.page_id, version.uid, version.changed_at) record
                        UNION ALL
                         SELECT 12 AS table_number,
                            'posts'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'post_id', record.post_id) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.post_id,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT posts.pid,
    posts.post_id,
    posts.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('name', posts.name, 'summary', posts.summary, 'content', posts.content, 'created_at', posts.created_at, 'updated_at', posts.updated_at, 'owner_uid', posts.owner_uid, 'extra', posts.extra) AS row_values
   FROM collab.posts
  WHERE ((posts.deleted_at IS NULL) AND (posts.valid_from >= run.started_at) AND (posts.valid_from <= run.started_at))
UNION ALL
 SELECT posts.pid,
    posts.post_id,
    posts.valid_from,
    true,
    jsonb_build_object('name', posts.name, 'summary', posts.summary, 'content', posts.content, 'created_at', posts.created_at, 'updated_at', posts.updated_at, 'owner_uid', posts.owner_uid, 'extra', posts.extra) AS jsonb_build_object
   FROM collab_history.posts
  WHERE ((posts.valid_from < posts.valid_to) AND (posts.valid_from >= run.started_at) AND (posts.valid_from <= run.started_at))
UNION ALL
 SELECT posts.pid,
    posts.post_id,
    posts.valid_to,
    false,
    jsonb_build_object('name', posts.name, 'summary', posts.summary, 'content', posts.content, 'created_at', posts.created_at, 'updated_at', posts.updated_at, 'owner_uid', posts.owner_uid, 'extra', posts.extra) AS jsonb_build_object
   FROM collab_history.posts
  WHERE ((posts.valid_from < posts.valid_to) AND (posts.valid_to >= run.started_at) AND (posts.valid_to <= run.started_at))) version
                                  GROUP BY version.pid, version.post_id, version.changed_at) record
                        UNION ALL
                         SELECT 13 AS table_number,
                            'post_watchers'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'post_id', record.post_id, 'uid', record.uid) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.post_id,
                                    version.uid,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT post_watchers.pid,
    post_watchers.post_id,
    post_watchers.uid,
    post_watchers.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('extra', post_watchers.extra) AS row_values
   FROM collab.post_watchers
  WHERE ((post_watchers.deleted_at IS NULL) AND (post_watchers.valid_from >= run.started_at) AND (post_watchers.valid_from <= run.started_at))
UNION ALL
 SELECT post_watchers.pid,
    post_watchers.post_id,
    post_watchers.uid,
    post_watchers.valid_from,
    true,
    jsonb_build_object('extra', post_watchers.extra) AS jsonb_build_object
   FROM collab_history.post_watchers
  WHERE ((post_watchers.valid_from < post_watchers.valid_to) AND (post_watchers.valid_from >= run.started_at) AND (post_watchers.valid_from <= run.started_at))
UNION ALL
 SELECT post_watchers.pid,
    post_watchers.post_id,
    post_watchers.uid,
    post_watchers.valid_to,
    false,
    jsonb_build_object('extra', post_watchers.extra) AS jsonb_build_object
   FROM collab_history.post_watchers
  WHERE ((post_watchers.valid_from < post_watchers.valid_to) AND (post_watchers.valid_to >= run.started_at) AND (post_watchers.valid_to <= run.started_at))) version
                                  GROUP BY version.pid, version.post_id, version.uid, version.changed_at) record
                        UNION ALL
                         SELECT 14 AS table_number,
                            'post_comments'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'post_id', record.post_id, 'cid', record.cid) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.post_id,
                                    version.cid,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT post_comments.pid,
    post_comments.post_id,
    post_comments.cid,
    post_comments.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('message', post_comments.message, 'raw_message', post_comments.raw_message, 'type', post_comments.type, 'format', post_comments.format, 'owner_uid', post_comments.owner_uid, 'created_at', post_comments.created_at, 'extra', post_comments.extra) AS row_values
   FROM collab.post_comments
  WHERE ((post_comments.deleted_at IS NULL) AND (post_comments.valid_from >= run.started_at) AND (post_comments.valid_from <= run.started_at))
UNION ALL
 SELECT post_comments.pid,
    post_comments.post_id,
    post_comments.cid,
    post_comments.valid_from,
    true,
    jsonb_build_object('message', post_comments.message, 'raw_message', post_comments.raw_message, 'type', post_comments.type, 'format', post_comments.format, 'owner_uid', post_comments.owner_uid, 'created_at', post_comments.created_at, 'extra', post_comments.extra) AS jsonb_build_object
   FROM collab_history.post_comments
  WHERE ((post_comments.valid_from < post_comments.valid_to) AND (post_comments.valid_from >= run.started_at) AND (post_comments.valid_from <= run.started_at))
UNION ALL
 SELECT post_comments.pid,
    post_comments.post_id,
    post_comments.cid,
    post_comments.valid_to,
    false,
    jsonb_build_object('message', post_comments.message, 'raw_message', post_comments.raw_message, 'type', post_comments.type, 'format', post_comments.format, 'owner_uid', post_comments.owner_uid, 'created_at', post_comments.created_at, 'extra', post_comments.extra) AS jsonb_build_object
   FROM collab_history.post_comments
  WHERE ((post_comments.valid_from < post_comments.valid_to) AND (post_comments.valid_to >= run.started_at) AND (post_comments.valid_to <= run.started_at))) version
                                  GROUP BY version.pid, version.post_id, version.cid, version.changed_at) record
                        UNION ALL
                         SELECT 15 AS table_number,
                            'files'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'fid', record.fid) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.fid,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT files.pid,
    files.fid,
    files.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('name', files.name, 'description', files.description, 'size_bytes', files.size_bytes, 'path', files.path, 'folder_id', files.folder_id, 'type', files.type, 'created_at', files.created_at, 'updated_at', files.updated_at, 'owner_uid', files.owner_uid, 'extra', files.extra) AS row_values
   FROM collab.files
  WHERE ((files.deleted_at IS NULL) AND (files.valid_from >= run.started_at) AND (files.valid_from <= run.started_at))
UNION ALL
 SELECT files.pid,
    files.fid,
    files.valid_from,
    true,
    jsonb_build_object('name', files.name, 'description', files.description, 'size_bytes', files.size_bytes, 'path', files.path, 'folder_id', files.folder_id, 'type', files.type, 'created_at', files.created_at, 'updated_at', files.updated_at, 'owner_uid', files.owner_uid, 'extra', files.extra) AS jsonb_build_object
   FROM collab_history.files
  WHERE ((files.valid_from < files.valid_to) AND (files.valid_from >= run.started_at) AND (files.valid_from <= run.started_at))
UNION ALL
 SELECT files.pid,
    files.fid,
    files.valid_to,
    false,
    jsonb_build_object('name', files.name, 'description', files.description, 'size_bytes', files.size_bytes, 'path', files.path, 'folder_id', files.folder_id, 'type', files.type, 'created_at', files.created_at, 'updated_at', files.updated_at, 'owner_uid', files.owner_uid, 'extra', files.extra) AS jsonb_build_object
   FROM collab_history.files
  WHERE ((files.valid_from < files.valid_to) AND (files.valid_to >= run.started_at) AND (files.valid_to <= run.started_at))) version
                                  GROUP BY version.pid, version.fid, version.changed_at) record
                        UNION ALL
                         SELECT 16 AS table_number,
                            'file_watchers'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'fid', record.fid, 'uid', record.uid) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.fid,
                                    version.uid,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT file_watchers.pid,
    file_watchers.fid,
    file_watchers.uid,
    file_watchers.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('extra', file_watchers.extra) AS row_values
   FROM collab.file_watchers
  WHERE ((file_watchers.deleted_at IS NULL) AND (file_watchers.valid_from >= run.started_at) AND (file_watchers.valid_from <= run.started_at))
UNION ALL
 SELECT file_watchers.pid,
    file_watchers.fid,
    file_watchers.uid,
    file_watchers.valid_from,
    true,
    jsonb_build_object('extra', file_watchers.extra) AS jsonb_build_object
   FROM collab_history.file_watchers
  WHERE ((file_watchers.valid_from < file_watchers.valid_to) AND (file_watchers.valid_from >= run.started_at) AND (file_watchers.valid_from <= run.started_at))
UNION ALL
 SELECT file_watchers.pid,
    file_watchers.fid,
    file_watchers.uid,
    file_watchers.valid_to,
    false,
    jsonb_build_object('extra', file_watchers.extra) AS jsonb_build_object
   FROM collab_history.file_watchers
  WHERE ((file_watchers.valid_from < file_watchers.valid_to) AND (file_watchers.valid_to >= run.started_at) AND (file_watchers.valid_to <= run.started_at))) version
                                  GROUP BY version.pid, version.fid, version.uid, version.changed_at) record
                        UNION ALL
                         SELECT 17 AS table_number,
                            'file_comments'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'fid', record.fid, 'cid', record.cid) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.fid,
                                    version.cid,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT file_comments.pid,
    file_comments.fid,
    file_comments.cid,
    file_comments.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('message', file_comments.message, 'raw_message', file_comments.raw_message, 'type', file_comments.type, 'format', file_comments.format, 'owner_uid', file_comments.owner_uid, 'created_at', file_comments.created_at, 'extra', file_comments.extra) AS row_values
   FROM collab.file_comments
  WHERE ((file_comments.deleted_at IS NULL) AND (file_comments.valid_from >= run.started_at) AND (file_comments.valid_from <= run.started_at))
UNION ALL
 SELECT file_comments.pid,
    file_comments.fid,
    file_comments.cid,
    file_comments.valid_from,
    true,
    jsonb_build_object('message', file_comments.message, 'raw_message', file_comments.raw_message, 'type', file_comments.type, 'format', file_comments.format, 'owner_uid', file_comments.owner_uid, 'created_at', file_comments.created_at, 'extra', file_comments.extra) AS jsonb_build_object
   FROM collab_history.file_comments
  WHERE ((file_comments.valid_from < file_comments.valid_to) AND (file_comments.valid_from >= run.started_at) AND (file_comments.valid_from <= run.started_at))
UNION ALL
 SELECT file_comments.pid,
    file_comments.fid,
    file_comments.cid,
    file_comments.valid_to,
    false,
    jsonb_build_object('message', file_comments.message, 'raw_message', file_comments.raw_message, 'type', file_comments.type, 'format', file_comments.format, 'owner_uid', file_comments.owner_uid, 'created_at', file_comments.created_at, 'extra', file_comments.extra) AS jsonb_build_object
   FROM collab_history.file_comments
  WHERE ((file_comments.valid_from < file_comments.valid_to) AND (file_comments.valid_to >= run.started_at) AND (file_comments.valid_to <= run.started_at))) version
                                  GROUP BY version.pid, version.fid, version.cid, version.changed_at) record
                        UNION ALL
                         SELECT 18 AS table_number,
                            'comment_files'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'parent_kind', record.parent_kind, 'parent_id', record.parent_id, 'cid', record.cid, 'fid', record.fid) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.parent_kind,
                                    version.parent_id,
                                    version.cid,
                                    version.fid,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT comment_files.pid,
    comment_files.parent_kind,
    comment_files.parent_id,
    comment_files.cid,
    comment_files.fid,
    comment_files.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('name', comment_files.name, 'description', comment_files.description, 'size_bytes', comment_files.size_bytes, 'path', comment_files.path, 'folder_id', comment_files.folder_id, 'extra', comment_files.extra) AS row_values
   FROM collab.comment_files
  WHERE ((comment_files.deleted_at IS NULL) AND (comment_files.valid_from >= run.started_at) AND (comment_files.valid_from <= run.started_at))
UNION ALL
 SELECT comment_files.pid,
    comment_files.parent_kind,
    comment_files.parent_id,
    comment_files.cid,
    comment_files.fid,
    comment_files.valid_from,
    true,
    jsonb_build_object('name', comment_files.name, 'description', comment_files.description, 'size_bytes', comment_files.size_bytes, 'path', comment_files.path, 'folder_id', comment_files.folder_id, 'extra', comment_files.extra) AS jsonb_build_object
   FROM collab_history.comment_files
  WHERE ((comment_files.valid_from < comment_files.valid_to) AND (comment_files.valid_from >= run.started_at) AND (comment_files.valid_from <= run.started_at))
UNION ALL
 SELECT comment_files.pid,
    comment_files.parent_kind,
    comment_files.parent_id,
    comment_files.cid,
    comment_files.fid,
    comment_files.valid_to,
    false,
    jsonb_build_object('name', comment_files.name, 'description', comment_files.description, 'size_bytes', comment_files.size_bytes, 'path', comment_files.path, 'folder_id', comment_files.folder_id, 'extra', comment_files.extra) AS jsonb_build_object
   FROM collab_history.comment_files
  WHERE ((comment_files.valid_from < comment_files.valid_to) AND (comment_files.valid_to >= run.started_at) AND (comment_files.valid_to <= run.started_at))) version
                                  GROUP BY version.pid, version.parent_kind, version.parent_id, version.cid, version.fid, version.changed_at) record
                        UNION ALL
                         SELECT 19 AS table_number,
                            'events'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'event_id', record.event_id, 'starts_at', record.starts_at) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.event_id,
                                    version.starts_at,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT events.pid,
    events.event_id,
    events.starts_at,
    events.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('ends_at', events.ends_at, 'name', events.name, 'summary', events.summary, 'location', events.location, 'email', events.email, 'description', events.description, 'recurrence', events.recurrence, 'extra', events.extra) AS row_values
   FROM collab.events
  WHERE ((events.deleted_at IS NULL) AND (events.valid_from >= run.started_at) AND (events.valid_from <= run.started_at))
UNION ALL
 SELECT events.pid,
    events.event_id,
    events.starts_at,
    events.valid_from,
    true,
    jsonb_build_object('ends_at', events.ends_at, 'name', events.name, 'summary', events.summary, 'location', events.location, 'email', events.email, 'description', events.description, 'recurrence', events.recurrence, 'extra', events.extra) AS jsonb_build_object
   FROM collab_history.events
  WHERE ((events.valid_from < events.valid_to) AND (events.valid_from >= run.started_at) AND (events.valid_from <= run.started_at))
UNION ALL
 SELECT events.pid,
    events.event_id,
    events.starts_at,
    events.valid_to,
    false,
    jsonb_build_object('ends_at', events.ends_at, 'name', events.name, 'summary', events.summary, 'location', events.location, 'email', events.email, 'description', events.description, 'recurrence', events.recurrence, 'extra', events.extra) AS jsonb_build_object
   FROM collab_history.events
  WHERE ((events.valid_from < events.valid_to) AND (events.valid_to >= run.started_at) AND (events.valid_to <= run.started_at))) version
                                  GROUP BY version.pid, version.event_id, version.starts_at, version.changed_at) record
                        UNION ALL
                         SELECT 20 AS table_number,
                            'event_attendees'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'event_id', record.event_id, 'starts_at', record.starts_at, 'uid', record.uid) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.event_id,
                                    version.starts_at,
                                    version.uid,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT event_attendees.pid,
    event_attendees.event_id,
    event_attendees.starts_at,
    event_attendees.uid,
    event_attendees.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('extra', event_attendees.extra) AS row_values
   FROM collab.event_attendees
  WHERE ((event_attendees.deleted_at IS NULL) AND (event_attendees.valid_from >= run.started_at) AND (event_attendees.valid_from <= run.started_at))
UNION ALL
 SELECT event_attendees.pid,
    event_attendees.event_id,
    event_attendees.starts_at,
    event_attendees.uid,
    event_attendees.valid_from,
    true,
    jsonb_build_object('extra', event_attendees.extra) AS jsonb_build_object
   FROM collab_history.event_attendees
  WHERE ((event_attendees.valid_from < event_attendees.valid_to) AND (event_attendees.valid_from >= run.started_at) AND (event_attendees.valid_from <= run.started_at))
UNION ALL
 SELECT event_attendees.pid,
    event_attendees.event_id,
    event_attendees.starts_at,
    event_attendees.uid,
    event_attendees.valid_to,
    false,
    jsonb_build_object('extra', event_attendees.extra) AS jsonb_build_object
   FROM collab_history.event_attendees
  WHERE ((event_attendees.valid_from < event_attendees.valid_to) AND (event_attendees.valid_to >= run.started_at) AND (event_attendees.valid_to <= run.started_at))) version
                                  GROUP BY version.pid, version.event_id, version.starts_at, version.uid, version.changed_at) record
                        UNION ALL
                         SELECT 21 AS table_number,
                            'webhooks'::text AS table_name,
                            (COALESCE(record.new_values, record.old_values) ->> 'pid'::text) AS pid,
                            jsonb_build_object('wid', record.wid) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.wid,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT webhooks.wid,
    webhooks.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('pid', webhooks.pid, 'uid', webhooks.uid, 'name', webhooks.name, 'url', webhooks.url, 'actions', webhooks.actions, 'is_every', webhooks.is_every, 'type', webhooks.type, 'created_at', webhooks.created_at, 'updated_at', webhooks.updated_at, 'extra', webhooks.extra) AS row_values
   FROM collab.webhooks
  WHERE ((webhooks.deleted_at IS NULL) AND (webhooks.valid_from >= run.started_at) AND (webhooks.valid_from <= run.started_at))
UNION ALL
 SELECT webhooks.wid,
    webhooks.valid_from,
    true,
    jsonb_build_object('pid', webhooks.pid, 'uid', webhooks.uid, 'name', webhooks.name, 'url', webhooks.url, 'actions', webhooks.actions, 'is_every', webhooks.is_every, 'type', webhooks.type, 'created_at', webhooks.created_at, 'updated_at', webhooks.updated_at, 'extra', webhooks.extra) AS jsonb_build_object
   FROM collab_history.webhooks
  WHERE ((webhooks.valid_from < webhooks.valid_to) AND (webhooks.valid_from >= run.started_at) AND (webhooks.valid_from <= run.started_at))
UNION ALL
 SELECT webhooks.wid,
    webhooks.valid_to,
    false,
    jsonb_build_object('pid', webhooks.pid, 'uid', webhooks.uid, 'name', webhooks.name, 'url', webhooks.url, 'actions', webhooks.actions, 'is_every', webhooks.is_every, 'type', webhooks.type, 'created_at', webhooks.created_at, 'updated_at', webhooks.updated_at, 'extra', webhooks.extra) AS jsonb_build_object
   FROM collab_history.webhooks
  WHERE ((webhooks.valid_from < webhooks.valid_to) AND (webhooks.valid_to >= run.started_at) AND (webhooks.valid_to <= run.started_at))) version
                                  GROUP BY version.wid, version.changed_at) record) written)
                UNION ALL
                 SELECT written.changed_at,
                    NULL::text AS text,
                    written.table_number,
                    written.table_name,
                    written.pid,
                    written.key,
                    written.old_values,
                    written.new_values
                   FROM ( SELECT 1 AS table_number,
                            'projects'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT projects.pid,
    projects.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('name', projects.name, 'description', projects.description, 'archived', projects.archived, 'pic', projects.pic, 'bg', projects.bg, 'visibility', projects.visibility, 'team_id', projects.team_id, 'is_starred', projects.is_starred, 'position', projects."position", 'member_count', projects.member_count, 'curr_role', projects.curr_role, 'permission', projects.permission, 'created_by_uid', projects.created_by_uid, 'extra', projects.extra, 'unlisted_since', projects.unlisted_since) AS row_values
   FROM collab.projects
  WHERE ((projects.deleted_at IS NULL) AND (NOT (projects.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT projects.pid,
    projects.valid_from,
    true,
    jsonb_build_object('name', projects.name, 'description', projects.description, 'archived', projects.archived, 'pic', projects.pic, 'bg', projects.bg, 'visibility', projects.visibility, 'team_id', projects.team_id, 'is_starred', projects.is_starred, 'position', projects."position", 'member_count', projects.member_count, 'curr_role', projects.curr_role, 'permission', projects.permission, 'created_by_uid', projects.created_by_uid, 'extra', projects.extra, 'unlisted_since', projects.unlisted_since) AS jsonb_build_object
   FROM collab_history.projects
  WHERE ((projects.valid_from < projects.valid_to) AND (NOT (projects.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT projects.pid,
    projects.valid_to,
    false,
    jsonb_build_object('name', projects.name, 'description', projects.description, 'archived', projects.archived, 'pic', projects.pic, 'bg', projects.bg, 'visibility', projects.visibility, 'team_id', projects.team_id, 'is_starred', projects.is_starred, 'position', projects."position", 'member_count', projects.member_count, 'curr_role', projects.curr_role, 'permission', projects.permission, 'created_by_uid', projects.created_by_uid, 'extra', projects.extra, 'unlisted_since', projects.unlisted_since) AS jsonb_build_object
   FROM collab_history.projects
  WHERE ((projects.valid_from < projects.valid_to) AND (NOT (projects.valid_to IN ( SELECT runs.started_at
     FROM collab.runs))))) version
                                  GROUP BY version.pid, version.changed_at) record
                        UNION ALL
                         SELECT 2 AS table_number,
                            'project_labels'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'name', record.name) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.name,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT project_labels.pid,
    project_labels.name,
    project_labels.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('description', project_labels.description, 'extra', project_labels.extra) AS row_values
   FROM collab.project_labels
  WHERE ((project_labels.deleted_at IS NULL) AND (NOT (project_labels.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT project_labels.pid,
    project_labels.name,
    project_labels.valid_from,
    true,
    jsonb_build_object('description', project_labels.description, 'extra', project_labels.extra) AS jsonb_build_object
   FROM collab_history.project_labels
  WHERE ((project_labels.valid_from < project_labels.valid_to) AND (NOT (project_labels.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT project_labels.pid,
    project_labels.name,
    project_labels.valid_to,
    false,
    jsonb_build_object('description', project_labels.description, 'extra', project_labels.extra) AS jsonb_build_object
   FROM collab_history.project_labels
  WHERE ((project_labels.valid_from < project_labels.valid_to) AND (NOT (project_labels.valid_to IN ( SELECT runs.started_at
     FROM collab.runs))))) version
                                  GROUP BY version.pid, version.name, version.changed_at) record
                        UNION ALL
                         SELECT 3 AS table_number,
                            'users'::text AS table_name,
                            NULL::text AS pid,
                            jsonb_build_object('uid', record.uid) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.uid,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT users.uid,
    users.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('name', users.name, 'display_name', users.display_name, 'avatar', users.avatar, 'description', users.description, 'status', users.status, 'online', users.online, 'extra', users.extra) AS row_values
   FROM collab.users
  WHERE ((users.deleted_at IS NULL) AND (NOT (users.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT users.uid,
    users.valid_from,
    true,
    jsonb_build_object('name', users.name, 'display_name', users.display_name, 'avatar', users.avatar, 'description', users.description, 'status', users.status, 'online', users.online, 'extra', users.extra) AS jsonb_build_object
   FROM collab_history.users
  WHERE ((users.valid_from < users.valid_to) AND (NOT (users.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT users.uid,
    users.valid_to,
    false,
    jsonb_build_object('name', users.name, 'display_name', users.display_name, 'avatar', users.avatar, 'description', users.description, 'status', users.status, 'online', users.online, 'extra', users.extra) AS jsonb_build_object
   FROM collab_history.users
  WHERE ((users.valid_from < users.valid_to) AND (NOT (users.valid_to IN ( SELECT runs.started_at
     FROM collab.runs))))) version
                                  GROUP BY version.uid, version.changed_at) record
                        UNION ALL
                         SELECT 4 AS table_number,
                            'entries'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'entry_id', record.entry_id) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.entry_id,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT entries.pid,
    entries.entry_id,
    entries.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('name', entries.name, 'extra', entries.extra) AS row_values
   FROM collab.entries
  WHERE ((entries.deleted_at IS NULL) AND (NOT (entries.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT entries.pid,
    entries.entry_id,
    entries.valid_from,
    true,
    jsonb_build_object('name', entries.name, 'extra', entries.extra) AS jsonb_build_object
   FROM collab_history.entries
  WHERE ((entries.valid_from < entries.valid_to) AND (NOT (entries.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT entries.pid,
    entries.entry_id,
    entries.valid_to,
    false,
    jsonb_build_object('name', entries.name, 'extra', entries.extra) AS jsonb_build_object
   FROM collab_history.entries
  WHERE ((entries.valid_from < entries.valid_to) AND (NOT (entries.valid_to IN ( SELECT runs.started_at
     FROM collab.runs))))) version
                                  GROUP BY version.pid, version.entry_id, version.changed_at) record
                        UNION ALL
                         SELECT 5 AS table_number,
                            'tasks'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'tid', record.tid) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.tid,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT tasks.pid,
    tasks.tid,
    tasks.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('entry_id', tasks.entry_id, 'name', tasks.name, 'description', tasks.description, 'position', tasks."position", 'completed', tasks.completed, 'completed_at', tasks.completed_at, 'due_at', tasks.due_at, 'created_at', tasks.created_at, 'updated_at', tasks.updated_at, 'archived', tasks.archived, 'comment_count', tasks.comment_count, 'todo_count', tasks.todo_count, 'todo_checked_count', tasks.todo_checked_count, 'file_count', tasks.file_count, 'extra', tasks.extra) AS row_values
   FROM collab.tasks
  WHERE ((tasks.deleted_at IS NULL) AND (NOT (tasks.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT tasks.pid,
    tasks.tid,
    tasks.valid_from,
    true,
    jsonb_build_object('entry_id', tasks.entry_id, 'name', tasks.name, 'description', tasks.description, 'position', tasks."position", 'completed', tasks.completed, 'completed_at', tasks.completed_at, 'due_at', tasks.due_at, 'created_at', tasks.created_at, 'updated_at', tasks.updated_at, 'archived', tasks.archived, 'comment_count', tasks.comment_count, 'todo_count', tasks.todo_count, 'todo_checked_count', tasks.todo_checked_count, 'file_count', tasks.file_count, 'extra', tasks.extra) AS jsonb_build_object
   FROM collab_history.tasks
  WHERE ((tasks.valid_from < tasks.valid_to) AND (NOT (tasks.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT tasks.pid,
    tasks.tid,
    tasks.valid_to,
    false,
    jsonb_build_object('entry_id', tasks.entry_id, 'name', tasks.name, 'description', tasks.description, 'position', tasks."position", 'completed', tasks.completed, 'completed_at', tasks.completed_at, 'due_at', tasks.due_at, 'created_at', tasks.created_at, 'updated_at', tasks.updated_at, 'archived', tasks.archived, 'comment_count', tasks.comment_count, 'todo_count', tasks.todo_count, 'todo_checked_count', tasks.todo_checked_count, 'file_count', tasks.file_count, 'extra', tasks.extra) AS jsonb_build_object
   FROM collab_history.tasks
  WHERE ((tasks.valid_from < tasks.valid_to) AND (NOT (tasks.valid_to IN ( SELECT runs.started_at
     FROM collab.runs))))) version
                                  GROUP BY version.pid, version.tid, version.changed_at) record
                        UNION ALL
                         SELECT 6 AS table_number,
                            'task_labels'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'tid', record.tid, 'name', record.name) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.tid,
                                    version.name,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT task_labels.pid,
    task_labels.tid,
    task_labels.name,
    task_labels.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('description', task_labels.description, 'extra', task_labels.extra) AS row_values
   FROM collab.task_labels
  WHERE ((task_labels.deleted_at IS NULL) AND (NOT (task_labels.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT task_labels.pid,
    task_labels.tid,
    task_labels.name,
    task_labels.valid_from,
    true,
    jsonb_build_object('description', task_labels.description, 'extra', task_labels.extra) AS jsonb_build_object
   FROM collab_history.task_labels
  WHERE ((task_labels.valid_from < task_labels.valid_to) AND (NOT (task_labels.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT task_labels.pid,
    task_labels.tid,
    task_labels.name,
    task_labels.valid_to,
    false,
    jsonb_build_object('description', task_labels.description, 'extra', task_labels.extra) AS jsonb_build_object
   FROM collab_history.task_labels
  WHERE ((task_labels.valid_from < task_labels.valid_to) AND (NOT (task_labels.valid_to IN ( SELECT runs.started_at
     FROM collab.runs))))) version
                                  GROUP BY version.pid, version.tid, version.name, version.changed_at) record
                        UNION ALL
                         SELECT 7 AS table_number,
                            'task_todos'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'tid', record.tid, 'todo_id', record.todo_id) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.tid,
                                    version.todo_id,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT task_todos.pid,
    task_todos.tid,
    task_todos.todo_id,
    task_todos.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('name', task_todos.name, 'checked', task_todos.checked, 'position', task_todos."position", 'extra', task_todos.extra) AS row_values
   FROM collab.task_todos
  WHERE ((task_todos.deleted_at IS NULL) AND (NOT (task_todos.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT task_todos.pid,
    task_todos.tid,
    task_todos.todo_id,
    task_todos.valid_from,
    true,
    jsonb_build_object('name', task_todos.name, 'checked', task_todos.checked, 'position', task_todos."position", 'extra', task_todos.extra) AS jsonb_build_object
   FROM collab_history.task_todos
  WHERE ((task_todos.valid_from < task_todos.valid_to) AND (NOT (task_todos.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT task_todos.pid,
    task_todos.tid,
    task_todos.todo_id,
    task_todos.valid_to,
    false,
    jsonb_build_object('name', task_todos.name, 'checked', task_todos.checked, 'position', task_todos."position", 'extra', task_todos.extra) AS jsonb_build_object
   FROM collab_history.task_todos
  WHERE ((task_todos.valid_from < task_todos.valid_to) AND (NOT (task_todos.valid_to IN ( SELECT runs.started_at
     FROM collab.runs))))) version
                                  GROUP BY version.pid, version.tid, version.todo_id, version.changed_at) record
                        UNION ALL
                         SELECT 8 AS table_number,
                            'task_members'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'tid', record.tid, 'uid', record.uid) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.tid,
                                    version.uid,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT task_members.pid,
    task_members.tid,
    task_members.uid,
    task_members.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('extra', task_members.extra) AS row_values
   FROM collab.task_members
  WHERE ((task_members.deleted_at IS NULL) AND (NOT (task_members.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT task_members.pid,
    task_members.tid,
    task_members.uid,
    task_members.valid_from,
    true,
    jsonb_build_object('extra', task_members.extra) AS jsonb_build_object
   FROM collab_history.task_members
  WHERE ((task_members.valid_from < task_members.valid_to) AND (NOT (task_members.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT task_members.pid,
    task_members.tid,
    task_members.uid,
    task_members.valid_to,
    false,
    jsonb_build_object('extra', task_members.extra) AS jsonb_build_object
   FROM collab_history.task_members
  WHERE ((task_members.valid_from < task_members.valid_to) AND (NOT (task_members.valid_to IN ( SELECT runs.started_at
     FROM collab.runs))))) version
                                  GROUP BY version.pid, version.tid, version.uid, version.changed_at) record
                        UNION ALL
                         SELECT 9 AS table_number,
                            'task_watchers'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'tid', record.tid, 'uid', record.uid) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.tid,
                                    version.uid,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT task_watchers.pid,
    task_watchers.tid,
    task_watchers.uid,
    task_watchers.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('extra', task_watchers.extra) AS row_values
   FROM collab.task_watchers
  WHERE ((task_watchers.deleted_at IS NULL) AND (NOT (task_watchers.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT task_watchers.pid,
    task_watchers.tid,
    task_watchers.uid,
    task_watchers.valid_from,
    true,
    jsonb_build_object('extra', task_watchers.extra) AS jsonb_build_object
   FROM collab_history.task_watchers
  WHERE ((task_watchers.valid_from < task_watchers.valid_to) AND (NOT (task_watchers.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT task_watchers.pid,
    task_watchers.tid,
    task_watchers.uid,
    task_watchers.valid_to,
    false,
    jsonb_build_object('extra', task_watchers.extra) AS jsonb_build_object
   FROM collab_history.task_watchers
  WHERE ((task_watchers.valid_from < task_watchers.valid_to) AND (NOT (task_watchers.valid_to IN ( SELECT runs.started_at
     FROM collab.runs))))) version
                                  GROUP BY version.pid, version.tid, version.uid, version.changed_at) record
                        UNION ALL
                         SELECT 10 AS table_number,
                            'pages'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'page_id', record.page_id) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.page_id,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT pages.pid,
    pages.page_id,
    pages.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('parent_id', pages.parent_id, 'name', pages.name, 'summary', pages.summary, 'content', pages.content, 'created_at', pages.created_at, 'updated_at', pages.updated_at, 'owner_uid', pages.owner_uid, 'extra', pages.extra) AS row_values
   FROM collab.pages
  WHERE ((pages.deleted_at IS NULL) AND (NOT (pages.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT pages.pid,
    pages.page_id,
    pages.valid_from,
    true,
    jsonb_build_object('parent_id', pages.parent_id, 'name', pages.name, 'summary', pages.summary, 'content', pages.content, 'created_at', pages.created_at, 'updated_at', pages.updated_at, 'owner_uid', pages.owner_uid, 'extra', pages.extra) AS jsonb_build_object
   FROM collab_history.pages
  WHERE ((pages.valid_from < pages.valid_to) AND (NOT (pages.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT pages.pid,
    pages.page_id,
    pages.valid_to,
    false,
    jsonb_build_object('parent_id', pages.parent_id, 'name', pages.name, 'summary', pages.summary, 'content', pages.content, 'created_at', pages.created_at, 'updated_at', pages.updated_at, 'owner_uid', pages.owner_uid, 'extra', pages.extra) AS jsonb_build_object
   FROM collab_history.pages
  WHERE ((pages.valid_from < pages.valid_to) AND (NOT (pages.valid_to IN ( SELECT runs.started_at
     FROM collab.runs))))) version
                                  GROUP BY version.pid, version.page_id, version.changed_at) record
                        UNION ALL
                         SELECT 11 AS table_number,
                            'page_watchers'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'page_id', record.page_id, 'uid', record.uid) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.page_id,
                                    version.uid,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT page_watchers.pid,
    page_watchers.page_id,
    page_watchers.uid,
    page_watchers.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('extra', page_watchers.extra) AS row_values
   FROM collab.page_watchers
  WHERE ((page_watchers.deleted_at IS NULL) AND (NOT (page_watchers.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT page_watchers.pid,
    page_watchers.page_id,
    page_watchers.uid,
    page_watchers.valid_from,
    true,
    jsonb_build_object('extra', page_watchers.extra) AS jsonb_build_object
   FROM collab_history.page_watchers
  WHERE ((page_watchers.valid_from < page_watchers.valid_to) AND (NOT (page_watchers.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT page_watchers.pid,
    page_watchers.page_id,
    page_watchers.uid,
    page_watchers.valid_to,
    false,
    jsonb_build_object('extra', page_watchers.extra) AS jsonb_build_object
   FROM collab_history.page_watchers
  WHERE ((page_watchers.valid_from < page_watchers.valid_to) AND (NOT (page_watchers.valid_to IN ( SELECT runs.started_at
     FROM collab.runs))))) version
                                  GROUP BY version.pid, version.page_id, version.uid, version.changed_at) record
                        UNION ALL
                         SELECT 12 AS table_number,
                            'posts'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'post_id', record.post_id) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.post_id,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT posts.pid,
    posts.post_id,
    posts.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('name', posts.name, 'summary', posts.summary, 'content', posts.content, 'created_at', posts.created_at, 'updated_at', posts.updated_at, 'owner_uid', posts.owner_uid, 'extra', posts.extra) AS row_values
   FROM collab.posts
  WHERE ((posts.deleted_at IS NULL) AND (NOT (posts.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT posts.pid,
    posts.post_id,
    posts.valid_from,
    true,
    jsonb_build_object('name', posts.name, 'summary', posts.summary, 'content', posts.content, 'created_at', posts.created_at, 'updated_at', posts.updated_at, 'owner_uid', posts.owner_uid, 'extra', posts.extra) AS jsonb_build_object
   FROM collab_history.posts
  WHERE ((posts.valid_from < posts.valid_to) AND (NOT (posts.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT posts.pid,
    posts.post_id,
    posts.valid_to,
    false,
    jsonb_build_object('name', posts.name, 'summary', posts.summary, 'content', posts.content, 'created_at', posts.created_at, 'updated_at', posts.updated_at, 'owner_uid', posts.owner_uid, 'extra', posts.extra) AS jsonb_build_object
   FROM collab_history.posts
  WHERE ((posts.valid_from < posts.valid_to) AND (NOT (posts.valid_to IN ( SELECT runs.started_at
     FROM collab.runs))))) version
                                  GROUP BY version.pid, version.post_id, version.changed_at) record
                        UNION ALL
                         SELECT 13 AS table_number,
                            'post_watchers'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'post_id', record.post_id, 'uid', record.uid) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.post_id,
                                    version.uid,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT post_watchers.pid,
    post_watchers.post_id,
    post_watchers.uid,
    post_watchers.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('extra', post_watchers.extra) AS row_values
   FROM collab.post_watchers
  WHERE ((post_watchers.deleted_at IS NULL) AND (NOT (post_watchers.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT post_watchers.pid,
    post_watchers.post_id,
    post_watchers.uid,
    post_watchers.valid_from,
    true,
    jsonb_build_object('extra', post_watchers.extra) AS jsonb_build_object
   FROM collab_history.post_watchers
  WHERE ((post_watchers.valid_from < post_watchers.valid_to) AND (NOT (post_watchers.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT post_watchers.pid,
    post_watchers.post_id,
    post_watchers.uid,
    post_watchers.valid_to,
    false,
    jsonb_build_object('extra', post_watchers.extra) AS jsonb_build_object
   FROM collab_history.post_watchers
  WHERE ((post_watchers.valid_from < post_watchers.valid_to) AND (NOT (post_watchers.valid_to IN ( SELECT runs.started_at
     FROM collab.runs))))) version
                                  GROUP BY version.pid, version.post_id, version.uid, version.changed_at) record
                        UNION ALL
                         SELECT 14 AS table_number,
                            'post_comments'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'post_id', record.post_id, 'cid', record.cid) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.post_id,
                                    version.cid,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT post_comments.pid,
    post_comments.post_id,
    post_comments.cid,
    post_comments.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('message', post_comments.message, 'raw_message', post_comments.raw_message, 'type', post_comments.type, 'format', post_comments.format, 'owner_uid', post_comments.owner_uid, 'created_at', post_comments.created_at, 'extra', post_comments.extra) AS row_values
   FROM collab.post_comments
  WHERE ((post_comments.deleted_at IS NULL) AND (NOT (post_comments.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT post_comments.pid,
    post_comments.post_id,
    post_comments.cid,
    post_comments.valid_from,
    true,
    jsonb_build_object('message', post_comments.message, 'raw_message', post_comments.raw_message, 'type', post_comments.type, 'format', post_comments.format, 'owner_uid', post_comments.owner_uid, 'created_at', post_comments.created_at, 'extra', post_comments.extra) AS jsonb_build_object
   FROM collab_history.post_comments
  WHERE ((post_comments.valid_from < post_comments.valid_to) AND (NOT (post_comments.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT post_comments.pid,
    post_comments.post_id,
    post_comments.cid,
    post_comments.valid_to,
    false,
    jsonb_build_object('message', post_comments.message, 'raw_message', post_comments.raw_message, 'type', post_comments.type, 'format', post_comments.format, 'owner_uid', post_comments.owner_uid, 'created_at', post_comments.created_at, 'extra', post_comments.extra) AS jsonb_build_object
   FROM collab_history.post_comments
  WHERE ((post_comments.valid_from < post_comments.valid_to) AND (NOT (post_comments.valid_to IN ( SELECT runs.started_at
     FROM collab.runs))))) version
                                  GROUP BY version.pid, version.post_id, version.cid, version.changed_at) record
                        UNION ALL
                         SELECT 15 AS table_number,
                            'files'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'fid', record.fid) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.fid,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT files.pid,
    files.fid,
    files.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('name', files.name, 'description', files.description, 'size_bytes', files.size_bytes, 'path', files.path, 'folder_id', files.folder_id, 'type', files.type, 'created_at', files.created_at, 'updated_at', files.updated_at, 'owner_uid', files.owner_uid, 'extra', files.extra) AS row_values
   FROM collab.files
  WHERE ((files.deleted_at IS NULL) AND (NOT (files.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT files.pid,
    files.fid,
    files.valid_from,
    true,
    jsonb_build_object('name', files.name, 'description', files.description, 'size_bytes', files.size_bytes, 'path', files.path, 'folder_id', files.folder_id, 'type', files.type, 'created_at', files.created_at, 'updated_at', files.updated_at, 'owner_uid', files.owner_uid, 'extra', files.extra) AS jsonb_build_object
   FROM collab_history.files
  WHERE ((files.valid_from < files.valid_to) AND (NOT (files.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT files.pid,
    files.fid,
    files.valid_to,
    false,
    jsonb_build_object('name', files.name, 'description', files.description, 'size_bytes', files.size_bytes, 'path', files.path, 'folder_id', files.folder_id, 'type', files.type, 'created_at', files.created_at, 'updated_at', files.updated_at, 'owner_uid', files.owner_uid, 'extra', files.extra) AS jsonb_build_object
   FROM collab_history.files
  WHERE ((files.valid_from < files.valid_to) AND (NOT (files.valid_to IN ( SELECT runs.started_at
     FROM collab.runs))))) version
                                  GROUP BY version.pid, version.fid, version.changed_at) record
                        UNION ALL
                         SELECT 16 AS table_number,
                            'file_watchers'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'fid', record.fid, 'uid', record.uid) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.fid,
                                    version.uid,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT file_watchers.pid,
    file_watchers.fid,
    file_watchers.uid,
    file_watchers.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('extra', file_watchers.extra) AS row_values
   FROM collab.file_watchers
  WHERE ((file_watchers.deleted_at IS NULL) AND (NOT (file_watchers.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT file_watchers.pid,
    file_watchers.fid,
    file_watchers.uid,
    file_watchers.valid_from,
    true,
    jsonb_build_object('extra', file_watchers.extra) AS jsonb_build_object
   FROM collab_history.file_watchers
  WHERE ((file_watchers.valid_from < file_watchers.valid_to) AND (NOT (file_watchers.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT file_watchers.pid,
    file_watchers.fid,
    file_watchers.uid,
    file_watchers.valid_to,
    false,
    jsonb_build_object('extra', file_watchers.extra) AS jsonb_build_object
   FROM collab_history.file_watchers
  WHERE ((file_watchers.valid_from < file_watchers.valid_to) AND (NOT (file_watchers.valid_to IN ( SELECT runs.started_at
     FROM collab.runs))))) version
                                  GROUP BY version.pid, version.fid, version.uid, version.changed_at) record
                        UNION ALL
                         SELECT 17 AS table_number,
                            'file_comments'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'fid', record.fid, 'cid', record.cid) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.fid,
                                    version.cid,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT file_comments.pid,
    file_comments.fid,
    file_comments.cid,
    file_comments.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('message', file_comments.message, 'raw_message', file_comments.raw_message, 'type', file_comments.type, 'format', file_comments.format, 'owner_uid', file_comments.owner_uid, 'created_at', file_comments.created_at, 'extra', file_comments.extra) AS row_values
   FROM collab.file_comments
  WHERE ((file_comments.deleted_at IS NULL) AND (NOT (file_comments.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT file_comments.pid,
    file_comments.fid,
    file_comments.cid,
    file_comments.valid_from,
    true,
    jsonb_build_object('message', file_comments.message, 'raw_message', file_comments.raw_message, 'type', file_comments.type, 'format', file_comments.format, 'owner_uid', file_comments.owner_uid, 'created_at', file_comments.created_at, 'extra', file_comments.extra) AS jsonb_build_object
   FROM collab_history.file_comments
  WHERE ((file_comments.valid_from < file_comments.valid_to) AND (NOT (file_comments.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT file_comments.pid,
    file_comments.fid,
    file_comments.cid,
    file_comments.valid_to,
    false,
    jsonb_build_object('message', file_comments.message, 'raw_message', file_comments.raw_message, 'type', file_comments.type, 'format', file_comments.format, 'owner_uid', file_comments.owner_uid, 'created_at', file_comments.created_at, 'extra', file_comments.extra) AS jsonb_build_object
   FROM collab_history.file_comments
  WHERE ((file_comments.valid_from < file_comments.valid_to) AND (NOT (file_comments.valid_to IN ( SELECT runs.started_at
     FROM collab.runs))))) version
                                  GROUP BY version.pid, version.fid, version.cid, version.changed_at) record
                        UNION ALL
                         SELECT 18 AS table_number,
                            'comment_files'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'parent_kind', record.parent_kind, 'parent_id', record.parent_id, 'cid', record.cid, 'fid', record.fid) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.parent_kind,
                                    version.parent_id,
                                    version.cid,
                                    version.fid,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT comment_files.pid,
    comment_files.parent_kind,
    comment_files.parent_id,
    comment_files.cid,
    comment_files.fid,
    comment_files.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('name', comment_files.name, 'description', comment_files.description, 'size_bytes', comment_files.size_bytes, 'path', comment_files.path, 'folder_id', comment_files.folder_id, 'extra', comment_files.extra) AS row_values
   FROM collab.comment_files
  WHERE ((comment_files.deleted_at IS NULL) AND (NOT (comment_files.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT comment_files.pid,
    comment_files.parent_kind,
    comment_files.parent_id,
    comment_files.cid,
    comment_files.fid,
    comment_files.valid_from,
    true,
    jsonb_build_object('name', comment_files.name, 'description', comment_files.description, 'size_bytes', comment_files.size_bytes, 'path', comment_files.path, 'folder_id', comment_files.folder_id, 'extra', comment_files.extra) AS jsonb_build_object
   FROM collab_history.comment_files
  WHERE ((comment_files.valid_from < comment_files.valid_to) AND (NOT (comment_files.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT comment_files.pid,
    comment_files.parent_kind,
    comment_files.parent_id,
    comment_files.cid,
    comment_files.fid,
    comment_files.valid_to,
    false,
    jsonb_build_object('name', comment_files.name, 'description', comment_files.description, 'size_bytes', comment_files.size_bytes, 'path', comment_files.path, 'folder_id', comment_files.folder_id, 'extra', comment_files.extra) AS jsonb_build_object
   FROM collab_history.comment_files
  WHERE ((comment_files.valid_from < comment_files.valid_to) AND (NOT (comment_files.valid_to IN ( SELECT runs.started_at
     FROM collab.runs))))) version
                                  GROUP BY version.pid, version.parent_kind, version.parent_id, version.cid, version.fid, version.changed_at) record
                        UNION ALL
                         SELECT 19 AS table_number,
                            'events'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'event_id', record.event_id, 'starts_at', record.starts_at) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.event_id,
                                    version.starts_at,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT events.pid,
    events.event_id,
    events.starts_at,
    events.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('ends_at', events.ends_at, 'name', events.name, 'summary', events.summary, 'location', events.location, 'email', events.email, 'description', events.description, 'recurrence', events.recurrence, 'extra', events.extra) AS row_values
   FROM collab.events
  WHERE ((events.deleted_at IS NULL) AND (NOT (events.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT events.pid,
    events.event_id,
    events.starts_at,
    events.valid_from,
    true,
    jsonb_build_object('ends_at', events.ends_at, 'name', events.name, 'summary', events.summary, 'location', events.location, 'email', events.email, 'description', events.description, 'recurrence', events.recurrence, 'extra', events.extra) AS jsonb_build_object
   FROM collab_history.events
  WHERE ((events.valid_from < events.valid_to) AND (NOT (events.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT events.pid,
    events.event_id,
    events.starts_at,
    events.valid_to,
    false,
    jsonb_build_object('ends_at', events.ends_at, 'name', events.name, 'summary', events.summary, 'location', events.location, 'email', events.email, 'description', events.description, 'recurrence', events.recurrence, 'extra', events.extra) AS jsonb_build_object
   FROM collab_history.events
  WHERE ((events.valid_from < events.valid_to) AND (NOT (events.valid_to IN ( SELECT runs.started_at
     FROM collab.runs))))) version
                                  GROUP BY version.pid, version.event_id, version.starts_at, version.changed_at) record
                        UNION ALL
                         SELECT 20 AS table_number,
                            'event_attendees'::text AS table_name,
                            record.pid,
                            jsonb_build_object('pid', record.pid, 'event_id', record.event_id, 'starts_at', record.starts_at, 'uid', record.uid) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.pid,
                                    version.event_id,
                                    version.starts_at,
                                    version.uid,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT event_attendees.pid,
    event_attendees.event_id,
    event_attendees.starts_at,
    event_attendees.uid,
    event_attendees.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('extra', event_attendees.extra) AS row_values
   FROM collab.event_attendees
  WHERE ((event_attendees.deleted_at IS NULL) AND (NOT (event_attendees.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT event_attendees.pid,
    event_attendees.event_id,
    event_attendees.starts_at,
    event_attendees.uid,
    event_attendees.valid_from,
    true,
    jsonb_build_object('extra', event_attendees.extra) AS jsonb_build_object
   FROM collab_history.event_attendees
  WHERE ((event_attendees.valid_from < event_attendees.valid_to) AND (NOT (event_attendees.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT event_attendees.pid,
    event_attendees.event_id,
    event_attendees.starts_at,
    event_attendees.uid,
    event_attendees.valid_to,
    false,
    jsonb_build_object('extra', event_attendees.extra) AS jsonb_build_object
   FROM collab_history.event_attendees
  WHERE ((event_attendees.valid_from < event_attendees.valid_to) AND (NOT (event_attendees.valid_to IN ( SELECT runs.started_at
     FROM collab.runs))))) version
                                  GROUP BY version.pid, version.event_id, version.starts_at, version.uid, version.changed_at) record
                        UNION ALL
                         SELECT 21 AS table_number,
                            'webhooks'::text AS table_name,
                            (COALESCE(record.new_values, record.old_values) ->> 'pid'::text) AS pid,
                            jsonb_build_object('wid', record.wid) AS key,
                            record.changed_at,
                            record.old_values,
                            record.new_values
                           FROM ( SELECT version.wid,
                                    version.changed_at,
                                    (array_agg(version.row_values) FILTER (WHERE (NOT version.is_new)))[1] AS old_values,
                                    (array_agg(version.row_values) FILTER (WHERE version.is_new))[1] AS new_values
                                   FROM ( SELECT webhooks.wid,
    webhooks.valid_from AS changed_at,
    true AS is_new,
    jsonb_build_object('pid', webhooks.pid, 'uid', webhooks.uid, 'name', webhooks.name, 'url', webhooks.url, 'actions', webhooks.actions, 'is_every', webhooks.is_every, 'type', webhooks.type, 'created_at', webhooks.created_at, 'updated_at', webhooks.updated_at, 'extra', webhooks.extra) AS row_values
   FROM collab.webhooks
  WHERE ((webhooks.deleted_at IS NULL) AND (NOT (webhooks.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT webhooks.wid,
    webhooks.valid_from,
    true,
    jsonb_build_object('pid', webhooks.pid, 'uid', webhooks.uid, 'name', webhooks.name, 'url', webhooks.url, 'actions', webhooks.actions, 'is_every', webhooks.is_every, 'type', webhooks.type, 'created_at', webhooks.created_at, 'updated_at', webhooks.updated_at, 'extra', webhooks.extra) AS jsonb_build_object
   FROM collab_history.webhooks
  WHERE ((webhooks.valid_from < webhooks.valid_to) AND (NOT (webhooks.valid_from IN ( SELECT runs.started_at
     FROM collab.runs))))
UNION ALL
 SELECT webhooks.wid,
    webhooks.valid_to,
    false,
    jsonb_build_object('pid', webhooks.pid, 'uid', webhooks.uid, 'name', webhooks.name, 'url', webhooks.url, 'actions', webhooks.actions, 'is_every', webhooks.is_every, 'type', webhooks.type, 'created_at', webhooks.created_at, 'updated_at', webhooks.updated_at, 'extra', webhooks.extra) AS jsonb_build_object
   FROM collab_history.webhooks
  WHERE ((webhooks.valid_from < webhooks.valid_to) AND (NOT (webhooks.valid_to IN ( SELECT runs.started_at
     FROM collab.runs))))) version
                                  GROUP BY version.wid, version.changed_at) record) written) v
             CROSS JOIN LATERAL ( SELECT array_agg(n.key) AS columns,
                    jsonb_object_agg(n.key, (v.old_values -> n.key)) AS old_values,
                    jsonb_object_agg(n.key, n.value) AS new_values
                   FROM jsonb_each(
                        CASE
                            WHEN (v.old_values IS NOT NULL) THEN v.new_values
                            ELSE NULL::jsonb
                        END) n(key, value)
                  WHERE (n.value IS DISTINCT FROM (v.old_values -> n.key))) d)
          WHERE ((v.old_values IS NULL) OR (v.new_values IS NULL) OR (d.columns IS NOT NULL))) known
     LEFT JOIN collab.projects project ON ((project.pid = known.pid)));

COMMENT ON VIEW collab.changes IS 'What each run added, changed and deleted: one row per record and run. Records of lists (labels, members, checklist items) are rows of their own tables. A record that is restored after its deletion is added again. Filter by run_id or changed_at: only the rows of those runs are read';
COMMENT ON COLUMN collab.changes.changed_at IS 'start of the run that wrote the change';
COMMENT ON COLUMN collab.changes.run_id IS 'run that wrote the change; null if no run began at changed_at, because another program wrote it';
COMMENT ON COLUMN collab.changes.table_name IS 'table of the record';
COMMENT ON COLUMN collab.changes.pid IS 'project id; null for users and personal webhooks';
COMMENT ON COLUMN collab.changes.key IS 'primary key of the record, by column';
COMMENT ON COLUMN collab.changes.change IS 'added, changed or deleted';
COMMENT ON COLUMN collab.changes.columns IS 'columns whose values differ; null if added or deleted';
COMMENT ON COLUMN collab.changes.old_values IS 'values before, by column: of a changed record those that differ, of a deleted one all but its key; null if added';
COMMENT ON COLUMN collab.changes.new_values IS 'values after, by column: of a changed record those that differ, of an added one all but its key; null if deleted';
COMMENT ON COLUMN collab.changes.table_number IS 'number of the table in the order of the documentation, to sort by';
COMMENT ON COLUMN collab.changes.project_name IS 'present name of the project; null if the record belongs to none';

CREATE VIEW collab.dim_date AS
 SELECT (day)::date AS day,
    (date_trunc('week'::text, day))::date AS week,
    (date_trunc('month'::text, day))::date AS month,
    (date_trunc('quarter'::text, day))::date AS quarter,
    (EXTRACT(year FROM day))::integer AS year,
    (EXTRACT(week FROM day))::integer AS iso_week,
    (EXTRACT(isoyear FROM day))::integer AS iso_year,
    (EXTRACT(isodow FROM day))::integer AS weekday,
    (EXTRACT(isodow FROM day) > (5)::numeric) AS is_weekend
   FROM generate_series('2001-01-01 00:00:00'::timestamp without time zone, (date_trunc('day'::text, (now() AT TIME ZONE 'UTC'::text)) + '2 years'::interval), '1 day'::interval) day(day);

COMMENT ON VIEW collab.dim_date IS 'UTC days from 1 January 2001 to two years from now';
COMMENT ON COLUMN collab.dim_date.day IS 'the day';
COMMENT ON COLUMN collab.dim_date.week IS 'first day of its week, a Monday';
COMMENT ON COLUMN collab.dim_date.month IS 'first day of its month';
COMMENT ON COLUMN collab.dim_date.quarter IS 'first day of its quarter';
COMMENT ON COLUMN collab.dim_date.year IS 'calendar year';
COMMENT ON COLUMN collab.dim_date.iso_week IS 'week by ISO 8601, 1 to 53';
COMMENT ON COLUMN collab.dim_date.iso_year IS 'year that the ISO week belongs to';
COMMENT ON COLUMN collab.dim_date.weekday IS '1 = Monday to 7 = Sunday';
COMMENT ON COLUMN collab.dim_date.is_weekend IS 'whether it is a Saturday or Sunday';

CREATE TABLE collab.list_readings (
    pid text NOT NULL COLLATE pg_catalog."C",
    stream text NOT NULL,
    read_at timestamp with time zone NOT NULL
);

COMMENT ON TABLE collab.list_readings IS 'When each list was last read completely';
COMMENT ON COLUMN collab.list_readings.pid IS 'project id; '''' for what belongs to no project';
COMMENT ON COLUMN collab.list_readings.stream IS 'projects, tasks, archived_tasks, pages, events or webhooks';
COMMENT ON COLUMN collab.list_readings.read_at IS 'start of the last run that read and stored the complete list';

CREATE VIEW collab.project_versions AS
 SELECT projects.pid,
    projects.name,
    projects.description,
    projects.archived,
    projects.pic,
    projects.bg,
    projects.visibility,
    projects.team_id,
    projects.is_starred,
    projects."position",
    projects.member_count,
    projects.curr_role,
    projects.permission,
    projects.created_by_uid,
    projects.extra,
    projects.valid_from,
    NULL::timestamp with time zone AS valid_to
   FROM collab.projects
  WHERE (projects.deleted_at IS NULL)
UNION ALL
 SELECT projects.pid,
    projects.name,
    projects.description,
    projects.archived,
    projects.pic,
    projects.bg,
    projects.visibility,
    projects.team_id,
    projects.is_starred,
    projects."position",
    projects.member_count,
    projects.curr_role,
    projects.permission,
    projects.created_by_uid,
    projects.extra,
    projects.valid_from,
    projects.valid_to
   FROM collab_history.projects;

COMMENT ON VIEW collab.project_versions IS 'Every version of projects: the one that holds now, and those that were superseded or deleted';
COMMENT ON COLUMN collab.project_versions.pid IS 'project id';
COMMENT ON COLUMN collab.project_versions.name IS 'project name';
COMMENT ON COLUMN collab.project_versions.description IS 'description';
COMMENT ON COLUMN collab.project_versions.archived IS 'whether the project is archived';
COMMENT ON COLUMN collab.project_versions.pic IS 'icon';
COMMENT ON COLUMN collab.project_versions.bg IS 'background colour';
COMMENT ON COLUMN collab.project_versions.visibility IS 'who may see it: 1 = private, 2 = team, 3 = public';
COMMENT ON COLUMN collab.project_versions.team_id IS 'team id';
COMMENT ON COLUMN collab.project_versions.is_starred IS 'whether it is a favourite of the token''s user';
COMMENT ON COLUMN collab.project_versions."position" IS 'position in the user''s list (may be fractional)';
COMMENT ON COLUMN collab.project_versions.member_count IS 'number of members';
COMMENT ON COLUMN collab.project_versions.curr_role IS 'role of the token''s user: 1 = administrator, 2 = member, 3 = visitor, 4 = guest';
COMMENT ON COLUMN collab.project_versions.permission IS 'permission of the token''s user: 0 = cannot operate, 5 = guest, 7 = visitor, 15 = member, 31 = administrator';
COMMENT ON COLUMN collab.project_versions.created_by_uid IS 'user id of the creator';
COMMENT ON COLUMN collab.project_versions.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.project_versions.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab.project_versions.valid_to IS 'start of the run that first saw it changed or gone; null while it holds';

CREATE TABLE collab.run_scopes (
    run_id text NOT NULL COLLATE pg_catalog."C",
    pid text NOT NULL COLLATE pg_catalog."C",
    stream text NOT NULL,
    status text NOT NULL,
    pages integer NOT NULL,
    requests bigint NOT NULL,
    bytes bigint NOT NULL,
    rows_read bigint NOT NULL,
    rows_inserted bigint NOT NULL,
    rows_updated bigint NOT NULL,
    rows_deleted bigint NOT NULL,
    started_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone NOT NULL,
    error_code text,
    error text,
    records_read bigint,
    content_hash text,
    carried bigint DEFAULT 0 NOT NULL,
    carried_since timestamp with time zone,
    worker text,
    CONSTRAINT run_scopes_status_check CHECK ((status = ANY (ARRAY['complete'::text, 'partial'::text, 'drifted'::text, 'refused'::text, 'carried'::text, 'skipped'::text, 'failed'::text])))
);

COMMENT ON TABLE collab.run_scopes IS 'What each run read: one stream of one project a row';
COMMENT ON COLUMN collab.run_scopes.run_id IS 'run id';
COMMENT ON COLUMN collab.run_scopes.pid IS 'project id; '''' for what belongs to no project (the project list, personal webhooks)';
COMMENT ON COLUMN collab.run_scopes.stream IS 'projects, tasks, archived_tasks, pages, posts, events, files or webhooks';
COMMENT ON COLUMN collab.run_scopes.status IS 'complete, partial (items listed in unread_items were not read), drifted (records kept moving, or the list may be capped), refused (too many rows would have been marked deleted), carried (not read in this run by the refresh policy or the request budget: the last complete reading counts), skipped or failed; complete ones alone mark rows deleted';
COMMENT ON COLUMN collab.run_scopes.pages IS 'pages or windows read';
COMMENT ON COLUMN collab.run_scopes.requests IS 'requests made, retries included';
COMMENT ON COLUMN collab.run_scopes.bytes IS 'bytes of bodies received';
COMMENT ON COLUMN collab.run_scopes.rows_read IS 'rows that its records became, over all tables but users';
COMMENT ON COLUMN collab.run_scopes.rows_inserted IS 'rows that were new';
COMMENT ON COLUMN collab.run_scopes.rows_updated IS 'rows that had changed or came back';
COMMENT ON COLUMN collab.run_scopes.rows_deleted IS 'rows marked deleted';
COMMENT ON COLUMN collab.run_scopes.started_at IS 'when reading it began: its first request';
COMMENT ON COLUMN collab.run_scopes.finished_at IS 'when reading it ended: its last answer';
COMMENT ON COLUMN collab.run_scopes.error_code IS 'error code of the service, or a word in capitals; null when complete';
COMMENT ON COLUMN collab.run_scopes.error IS 'why it is not complete';
COMMENT ON COLUMN collab.run_scopes.records_read IS 'records that the service sent; null for runs before version 5';
COMMENT ON COLUMN collab.run_scopes.content_hash IS 'sum, modulo 2^256, of the SHA-256 of each record as rows, in hexadecimal: the same records in any order give the same; null when nothing was read';
COMMENT ON COLUMN collab.run_scopes.carried IS 'posts or files that were not read in this run by the refresh policy or the request budget; 1 for a carried list';
COMMENT ON COLUMN collab.run_scopes.carried_since IS 'time of the oldest of their last readings; null if none was carried';
COMMENT ON COLUMN collab.run_scopes.worker IS 'worker process that published it last: its number, host and process id; null if the run had no workers';

CREATE VIEW collab.task_versions AS
 SELECT tasks.pid,
    tasks.tid,
    tasks.entry_id,
    tasks.name,
    tasks.description,
    tasks."position",
    tasks.completed,
    tasks.completed_at,
    tasks.due_at,
    tasks.created_at,
    tasks.updated_at,
    tasks.archived,
    tasks.comment_count,
    tasks.todo_count,
    tasks.todo_checked_count,
    tasks.file_count,
    tasks.extra,
    tasks.valid_from,
    NULL::timestamp with time zone AS valid_to
   FROM collab.tasks
  WHERE (tasks.deleted_at IS NULL)
UNION ALL
 SELECT tasks.pid,
    tasks.tid,
    tasks.entry_id,
    tasks.name,
    tasks.description,
    tasks."position",
    tasks.completed,
    tasks.completed_at,
    tasks.due_at,
    tasks.created_at,
    tasks.updated_at,
    tasks.archived,
    tasks.comment_count,
    tasks.todo_count,
    tasks.todo_checked_count,
    tasks.file_count,
    tasks.extra,
    tasks.valid_from,
    tasks.valid_to
   FROM collab_history.tasks;

COMMENT ON VIEW collab.task_versions IS 'Every version of tasks: the one that holds now, and those that were superseded or deleted';
COMMENT ON COLUMN collab.task_versions.pid IS 'project id';
COMMENT ON COLUMN collab.task_versions.tid IS 'task id';
COMMENT ON COLUMN collab.task_versions.entry_id IS 'task group id; null when in none';
COMMENT ON COLUMN collab.task_versions.name IS 'task name';
COMMENT ON COLUMN collab.task_versions.description IS 'task description';
COMMENT ON COLUMN collab.task_versions."position" IS 'position; null when the task is in the archived list alone, where it has none';
COMMENT ON COLUMN collab.task_versions.completed IS 'whether the task is completed';
COMMENT ON COLUMN collab.task_versions.completed_at IS 'completion time; the archived list does not have it: an archived task keeps the last known one while it is completed; null when there is none, or none was ever read';
COMMENT ON COLUMN collab.task_versions.due_at IS 'due date; null when there is none';
COMMENT ON COLUMN collab.task_versions.created_at IS 'creation time';
COMMENT ON COLUMN collab.task_versions.updated_at IS 'update time';
COMMENT ON COLUMN collab.task_versions.archived IS 'whether it was read from the list of archived tasks';
COMMENT ON COLUMN collab.task_versions.comment_count IS 'number of comments';
COMMENT ON COLUMN collab.task_versions.todo_count IS 'number of checklist items';
COMMENT ON COLUMN collab.task_versions.todo_checked_count IS 'number of completed checklist items';
COMMENT ON COLUMN collab.task_versions.file_count IS 'number of attachments';
COMMENT ON COLUMN collab.task_versions.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.task_versions.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab.task_versions.valid_to IS 'start of the run that first saw it changed or gone; null while it holds';

CREATE VIEW collab.project_first_seen AS
 SELECT known.pid,
    known.first_seen_at,
    project.name AS project_name,
    known.tasks_first_read_at,
    known.archived_first_read_at
   FROM (( SELECT seen.pid,
            min(seen.seen_at) AS first_seen_at,
            min(seen.tasks_at) AS tasks_first_read_at,
            min(seen.archived_at) AS archived_first_read_at
           FROM ( SELECT project_versions.pid,
                    project_versions.valid_from AS seen_at,
                    NULL::timestamp with time zone AS tasks_at,
                    NULL::timestamp with time zone AS archived_at
                   FROM collab.project_versions
                UNION ALL
                 SELECT task_versions.pid,
                    task_versions.valid_from,
                        CASE
                            WHEN (task_versions.archived IS NOT TRUE) THEN task_versions.valid_from
                            ELSE NULL::timestamp with time zone
                        END AS "case",
                        CASE
                            WHEN task_versions.archived THEN task_versions.valid_from
                            ELSE NULL::timestamp with time zone
                        END AS "case"
                   FROM collab.task_versions
                UNION ALL
                 SELECT scope.pid,
                    NULL::timestamp with time zone,
                        CASE scope.stream
                            WHEN 'tasks'::text THEN run.started_at
                            ELSE NULL::timestamp with time zone
                        END AS "case",
                        CASE scope.stream
                            WHEN 'archived_tasks'::text THEN run.started_at
                            ELSE NULL::timestamp with time zone
                        END AS "case"
                   FROM (collab.run_scopes scope
                     JOIN collab.runs run ON ((run.run_id = scope.run_id)))
                  WHERE ((scope.stream = ANY (ARRAY['tasks'::text, 'archived_tasks'::text])) AND (scope.status <> ALL (ARRAY['failed'::text, 'skipped'::text, 'carried'::text])))) seen
          GROUP BY seen.pid
         HAVING (min(seen.seen_at) IS NOT NULL)) known
     LEFT JOIN collab.projects project ON ((project.pid = known.pid)));

COMMENT ON VIEW collab.project_first_seen IS 'Since when a project is in the warehouse; deleted projects too';
COMMENT ON COLUMN collab.project_first_seen.pid IS 'project id';
COMMENT ON COLUMN collab.project_first_seen.first_seen_at IS 'start of the run that first saw it or one of its tasks';
COMMENT ON COLUMN collab.project_first_seen.project_name IS 'project name';
COMMENT ON COLUMN collab.project_first_seen.tasks_first_read_at IS 'start of the run that first read its tasks; null if none did: what it had before is not known';
COMMENT ON COLUMN collab.project_first_seen.archived_first_read_at IS 'start of the run that first read its archived tasks; null if none did';

CREATE VIEW collab.dim_project AS
 SELECT project.pid,
    project.name,
    project.description,
    (project.archived IS TRUE) AS is_archived,
    project.visibility,
    project.member_count,
    project.created_by_uid,
    creator.name AS created_by_name,
    seen.first_seen_at,
    project.unlisted_since,
    project.deleted_at,
    project.permission,
    seen.tasks_first_read_at,
    reading.read_at AS tasks_read_at
   FROM (((collab.projects project
     LEFT JOIN collab.project_first_seen seen ON ((seen.pid = project.pid)))
     LEFT JOIN collab.users creator ON ((creator.uid = project.created_by_uid)))
     LEFT JOIN collab.list_readings reading ON (((reading.pid = project.pid) AND (reading.stream = 'tasks'::text))));

COMMENT ON VIEW collab.dim_project IS 'Projects, deleted ones too';
COMMENT ON COLUMN collab.dim_project.pid IS 'project id';
COMMENT ON COLUMN collab.dim_project.name IS 'project name';
COMMENT ON COLUMN collab.dim_project.description IS 'description';
COMMENT ON COLUMN collab.dim_project.is_archived IS 'whether the project is archived';
COMMENT ON COLUMN collab.dim_project.visibility IS 'who may see it: 1 = private, 2 = team, 3 = public';
COMMENT ON COLUMN collab.dim_project.member_count IS 'number of members';
COMMENT ON COLUMN collab.dim_project.created_by_uid IS 'user id of the creator';
COMMENT ON COLUMN collab.dim_project.created_by_name IS 'name of the creator';
COMMENT ON COLUMN collab.dim_project.first_seen_at IS 'start of the run that first saw the project or one of its tasks';
COMMENT ON COLUMN collab.dim_project.unlisted_since IS 'start of the run that first found it missing from the list though it could be read; null while it is listed';
COMMENT ON COLUMN collab.dim_project.deleted_at IS 'start of the run that found it gone; null while it exists';
COMMENT ON COLUMN collab.dim_project.permission IS 'permission of the token''s user: 0 = cannot read it any more, 5 = guest, 7 = visitor, 15 = member, 31 = administrator';
COMMENT ON COLUMN collab.dim_project.tasks_first_read_at IS 'start of the run that first read its tasks; null if none did';
COMMENT ON COLUMN collab.dim_project.tasks_read_at IS 'start of the last run that read its tasks completely: they are shown as of then; null if none did, or the project is deleted';

CREATE VIEW collab.dim_user AS
 SELECT uid,
    name,
    display_name,
    COALESCE(NULLIF(display_name, ''::text), NULLIF(name, ''::text), uid) AS label,
    description,
    status
   FROM collab.users;

COMMENT ON VIEW collab.dim_user IS 'Users, as they are embedded in other records';
COMMENT ON COLUMN collab.dim_user.uid IS 'user id';
COMMENT ON COLUMN collab.dim_user.name IS 'user name';
COMMENT ON COLUMN collab.dim_user.display_name IS 'nickname';
COMMENT ON COLUMN collab.dim_user.label IS 'name to display: nickname, else name, else id';
COMMENT ON COLUMN collab.dim_user.description IS 'user description';
COMMENT ON COLUMN collab.dim_user.status IS 'state of the account: 1 = normal, 2 = invited, 3 = needs e-mail confirmation';

CREATE VIEW collab.event_calendar AS
 SELECT known.pid,
    known.event_id,
    known.starts_at,
    known.ends_at,
    known.name,
    known.location,
    known.recurrence,
    known.listed_starts_at,
    known.attendees,
    project.name AS project_name
   FROM (( SELECT event_calendar.pid,
            event_calendar.event_id,
            event_calendar.starts_at,
            event_calendar.ends_at,
            event_calendar.name,
            event_calendar.location,
            event_calendar.recurrence,
            event_calendar.listed_starts_at,
            event_calendar.attendees
           FROM collab.event_calendar((now() - '1 year'::interval), (now() + '1 year'::interval)) event_calendar(pid, event_id, starts_at, ends_at, name, location, recurrence, listed_starts_at, attendees)) known
     LEFT JOIN collab.projects project ON ((project.pid = known.pid)));

COMMENT ON VIEW collab.event_calendar IS 'Occurrences of live events from a year ago to a year ahead, recurring ones expanded in UTC; the function of the same name takes another range';
COMMENT ON COLUMN collab.event_calendar.pid IS 'project id';
COMMENT ON COLUMN collab.event_calendar.event_id IS 'event id';
COMMENT ON COLUMN collab.event_calendar.starts_at IS 'start of this occurrence';
COMMENT ON COLUMN collab.event_calendar.ends_at IS 'end of this occurrence; null when the event has none';
COMMENT ON COLUMN collab.event_calendar.name IS 'event content';
COMMENT ON COLUMN collab.event_calendar.location IS 'place; null when the service leaves it out';
COMMENT ON COLUMN collab.event_calendar.recurrence IS 'how it recurs: 0 = not, 1 = daily, 2 = weekly, 3 = monthly, 4 = yearly; no end of a recurrence is known';
COMMENT ON COLUMN collab.event_calendar.listed_starts_at IS 'start of the row of events that this occurrence comes from; equal to starts_at when the service listed it';
COMMENT ON COLUMN collab.event_calendar.attendees IS 'names of the participants, in order; the id of one whose name is not known';
COMMENT ON COLUMN collab.event_calendar.project_name IS 'project name';

CREATE VIEW collab.page_versions AS
 SELECT pages.pid,
    pages.page_id,
    pages.parent_id,
    pages.name,
    pages.summary,
    pages.content,
    pages.created_at,
    pages.updated_at,
    pages.owner_uid,
    pages.extra,
    pages.valid_from,
    NULL::timestamp with time zone AS valid_to
   FROM collab.pages
  WHERE (pages.deleted_at IS NULL)
UNION ALL
 SELECT pages.pid,
    pages.page_id,
    pages.parent_id,
    pages.name,
    pages.summary,
    pages.content,
    pages.created_at,
    pages.updated_at,
    pages.owner_uid,
    pages.extra,
    pages.valid_from,
    pages.valid_to
   FROM collab_history.pages;

COMMENT ON VIEW collab.page_versions IS 'Every version of pages: the one that holds now, and those that were superseded or deleted';
COMMENT ON COLUMN collab.page_versions.pid IS 'project id';
COMMENT ON COLUMN collab.page_versions.page_id IS 'document id';
COMMENT ON COLUMN collab.page_versions.parent_id IS 'parent document id; null at the top level';
COMMENT ON COLUMN collab.page_versions.name IS 'document name';
COMMENT ON COLUMN collab.page_versions.summary IS 'document content';
COMMENT ON COLUMN collab.page_versions.content IS 'content in markdown';
COMMENT ON COLUMN collab.page_versions.created_at IS 'creation time';
COMMENT ON COLUMN collab.page_versions.updated_at IS 'update time';
COMMENT ON COLUMN collab.page_versions.owner_uid IS 'user id of the creator';
COMMENT ON COLUMN collab.page_versions.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.page_versions.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab.page_versions.valid_to IS 'start of the run that first saw it changed or gone; null while it holds';

CREATE VIEW collab.post_versions AS
 SELECT posts.pid,
    posts.post_id,
    posts.name,
    posts.summary,
    posts.content,
    posts.created_at,
    posts.updated_at,
    posts.owner_uid,
    posts.extra,
    posts.valid_from,
    NULL::timestamp with time zone AS valid_to
   FROM collab.posts
  WHERE (posts.deleted_at IS NULL)
UNION ALL
 SELECT posts.pid,
    posts.post_id,
    posts.name,
    posts.summary,
    posts.content,
    posts.created_at,
    posts.updated_at,
    posts.owner_uid,
    posts.extra,
    posts.valid_from,
    posts.valid_to
   FROM collab_history.posts;

COMMENT ON VIEW collab.post_versions IS 'Every version of posts: the one that holds now, and those that were superseded or deleted';
COMMENT ON COLUMN collab.post_versions.pid IS 'project id';
COMMENT ON COLUMN collab.post_versions.post_id IS 'post id';
COMMENT ON COLUMN collab.post_versions.name IS 'title';
COMMENT ON COLUMN collab.post_versions.summary IS 'content';
COMMENT ON COLUMN collab.post_versions.content IS 'content in markdown';
COMMENT ON COLUMN collab.post_versions.created_at IS 'creation time';
COMMENT ON COLUMN collab.post_versions.updated_at IS 'update time';
COMMENT ON COLUMN collab.post_versions.owner_uid IS 'user id of the creator';
COMMENT ON COLUMN collab.post_versions.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.post_versions.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab.post_versions.valid_to IS 'start of the run that first saw it changed or gone; null while it holds';

CREATE VIEW collab.fct_document AS
 SELECT document.kind,
    document.pid,
    project.name AS project_name,
    document.id,
    document.name,
    document.owner_uid,
    person.name AS owner_name,
    document.created_at,
    document.updated_at,
    document.updates,
    document.comments,
    document.last_comment_at,
    GREATEST(document.created_at, document.updated_at, document.last_comment_at) AS last_activity_at,
    document.deleted_at
   FROM ((( SELECT known.kind,
            known.pid,
            known.id,
            max(known.name) AS name,
            max(known.owner_uid) AS owner_uid,
            max(known.created_at) AS created_at,
            max(known.updated_at) AS updated_at,
            (count(DISTINCT known.version_updated_at))::integer AS updates,
            (count(known.commented_at))::integer AS comments,
            max(known.commented_at) AS last_comment_at,
            max(known.deleted_at) AS deleted_at
           FROM ( SELECT 'page'::text AS kind,
                    pages.pid,
                    pages.page_id AS id,
                    true AS is_document,
                    pages.name,
                    pages.owner_uid,
                    pages.created_at,
                    pages.updated_at,
                    pages.deleted_at,
                    NULL::timestamp with time zone AS version_updated_at,
                    NULL::timestamp with time zone AS commented_at
                   FROM collab.pages
                UNION ALL
                 SELECT 'post'::text,
                    posts.pid,
                    posts.post_id,
                    true,
                    posts.name,
                    posts.owner_uid,
                    posts.created_at,
                    posts.updated_at,
                    posts.deleted_at,
                    NULL::timestamp with time zone,
                    NULL::timestamp with time zone
                   FROM collab.posts
                UNION ALL
                 SELECT 'page'::text,
                    page_versions.pid,
                    page_versions.page_id,
                    NULL::boolean,
                    NULL::text,
                    NULL::text,
                    NULL::timestamp with time zone,
                    NULL::timestamp with time zone,
                    NULL::timestamp with time zone,
                    page_versions.updated_at,
                    NULL::timestamp with time zone
                   FROM collab.page_versions
                  WHERE (page_versions.updated_at > page_versions.created_at)
                UNION ALL
                 SELECT 'post'::text,
                    post_versions.pid,
                    post_versions.post_id,
                    NULL::boolean,
                    NULL::text,
                    NULL::text,
                    NULL::timestamp with time zone,
                    NULL::timestamp with time zone,
                    NULL::timestamp with time zone,
                    post_versions.updated_at,
                    NULL::timestamp with time zone
                   FROM collab.post_versions
                  WHERE (post_versions.updated_at > post_versions.created_at)
                UNION ALL
                 SELECT 'post'::text,
                    post_comments.pid,
                    post_comments.post_id,
                    NULL::boolean,
                    NULL::text,
                    NULL::text,
                    NULL::timestamp with time zone,
                    NULL::timestamp with time zone,
                    NULL::timestamp with time zone,
                    NULL::timestamp with time zone,
                    post_comments.created_at
                   FROM collab.post_comments
                  WHERE (post_comments.deleted_at IS NULL)) known
          GROUP BY known.kind, known.pid, known.id
         HAVING bool_or(known.is_document)) document
     LEFT JOIN collab.projects project ON ((project.pid = document.pid)))
     LEFT JOIN collab.users person ON ((person.uid = document.owner_uid)));

COMMENT ON VIEW collab.fct_document IS 'One row per page and known post, deleted ones too, with its activity';
COMMENT ON COLUMN collab.fct_document.kind IS 'page or post';
COMMENT ON COLUMN collab.fct_document.pid IS 'project id';
COMMENT ON COLUMN collab.fct_document.project_name IS 'project name';
COMMENT ON COLUMN collab.fct_document.id IS 'page or post id';
COMMENT ON COLUMN collab.fct_document.name IS 'title';
COMMENT ON COLUMN collab.fct_document.owner_uid IS 'user id of its owner';
COMMENT ON COLUMN collab.fct_document.owner_name IS 'name of its owner';
COMMENT ON COLUMN collab.fct_document.created_at IS 'creation time';
COMMENT ON COLUMN collab.fct_document.updated_at IS 'update time';
COMMENT ON COLUMN collab.fct_document.updates IS 'number of updates that runs saw; several updates between two runs count once';
COMMENT ON COLUMN collab.fct_document.comments IS 'number of existing comments; 0 for pages, whose comments the service does not list';
COMMENT ON COLUMN collab.fct_document.last_comment_at IS 'time of the last comment';
COMMENT ON COLUMN collab.fct_document.last_activity_at IS 'latest of creation, update and comment time';
COMMENT ON COLUMN collab.fct_document.deleted_at IS 'start of the run that found it gone; null while it exists';

CREATE VIEW collab.fct_task_transition AS
 SELECT moved.pid,
    project.name AS project_name,
    moved.tid,
    task.name AS task_name,
    moved.kind,
    moved.seen_at,
    moved.sent_at,
    moved.from_value,
    moved.to_value,
        CASE moved.kind
            WHEN 'group'::text THEN from_entry.name
            WHEN 'unassigned'::text THEN from_user.name
            ELSE moved.from_value
        END AS from_name,
        CASE moved.kind
            WHEN 'group'::text THEN to_entry.name
            WHEN 'assigned'::text THEN to_user.name
            ELSE moved.to_value
        END AS to_name,
    moved.hours_before
   FROM ((((((( SELECT version.pid,
            version.tid,
            change.kind,
            change.seen_at,
            change.sent_at,
            change.from_value,
            change.to_value,
            ((EXTRACT(epoch FROM (change.seen_at - change.held_since)) / (3600)::numeric))::double precision AS hours_before
           FROM (( SELECT since.pid,
                    since.tid,
                    since.uid,
                    since.valid_from,
                    since.valid_to,
                    since.entry_id,
                    since.completed,
                    since.archived,
                    since.due_at,
                    since.completed_at,
                    since.entry_since,
                    min(since.valid_from) OVER t AS first_seen_at,
                    array_agg(since.valid_from) FILTER (WHERE (since.uid IS NULL)) OVER t AS task_from,
                    array_agg(since.valid_to) FILTER (WHERE (since.uid IS NULL)) OVER t AS task_to,
                    lag(since.valid_from) OVER w AS before_from,
                    lag(since.valid_to) OVER w AS before_to,
                    lag(since.entry_id) OVER w AS before_entry_id,
                    lag(since.completed) OVER w AS before_completed,
                    lag(since.archived) OVER w AS before_archived,
                    lag(since.due_at) OVER w AS before_due_at,
                    lead(since.valid_from) OVER w AS next_from,
                    max(since.entry_since) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS group_since
                   FROM ( SELECT known.pid,
                            known.tid,
                            known.uid,
                            known.valid_from,
                            known.valid_to,
                            known.entry_id,
                            known.completed,
                            known.archived,
                            known.due_at,
                            known.completed_at,
                                CASE
                                    WHEN ((known.uid IS NULL) AND ((lag(known.valid_from) OVER w IS NULL) OR (known.entry_id IS DISTINCT FROM lag(known.entry_id) OVER w))) THEN known.valid_from
                                    ELSE NULL::timestamp with time zone
                                END AS entry_since
                           FROM ( SELECT task_versions.pid,
                                    task_versions.tid,
                                    NULL::text AS uid,
                                    task_versions.valid_from,
                                    task_versions.valid_to,
                                    task_versions.entry_id,
                                    (task_versions.completed IS TRUE) AS completed,
                                    (task_versions.archived IS TRUE) AS archived,
                                    task_versions.due_at,
                                    task_versions.completed_at
                                   FROM collab.task_versions
                                UNION ALL
                                 SELECT task_members.pid,
                                    task_members.tid,
                                    task_members.uid,
                                    task_members.valid_from,
                                    NULL::timestamp with time zone AS timestamptz,
                                    NULL::text,
                                    NULL::boolean,
                                    NULL::boolean,
                                    NULL::timestamp with time zone,
                                    NULL::timestamp with time zone
                                   FROM collab.task_members
                                  WHERE (task_members.deleted_at IS NULL)
                                UNION ALL
                                 SELECT task_members.pid,
                                    task_members.tid,
                                    task_members.uid,
                                    task_members.valid_from,
                                    task_members.valid_to,
                                    NULL::text,
                                    NULL::boolean,
                                    NULL::boolean,
                                    NULL::timestamp with time zone,
                                    NULL::timestamp with time zone
                                   FROM collab_history.task_members) known
                          WINDOW w AS (PARTITION BY known.pid, known.tid, known.uid ORDER BY known.valid_from)) since
                  WINDOW t AS (PARTITION BY since.pid, since.tid), w AS (PARTITION BY since.pid, since.tid, since.uid ORDER BY since.valid_from)) version
             CROSS JOIN LATERAL ( VALUES ('added'::text,((version.uid IS NULL) AND (version.before_from IS NULL)),version.valid_from,NULL::timestamp with time zone,NULL::text,NULL::text,NULL::timestamp with time zone), ('restored'::text,((version.uid IS NULL) AND (version.before_to < version.valid_from)),version.valid_from,NULL::timestamp with time zone,NULL::text,NULL::text,version.before_to), ('group'::text,((version.uid IS NULL) AND (version.before_from IS NOT NULL) AND (version.entry_id IS DISTINCT FROM version.before_entry_id)),version.valid_from,NULL::timestamp with time zone,version.before_entry_id,version.entry_id,version.group_since), ('completed'::text,((version.uid IS NULL) AND (version.before_from IS NOT NULL) AND version.completed AND (NOT version.before_completed)),version.valid_from,version.completed_at,NULL::text,NULL::text,NULL::timestamp with time zone), ('reopened'::text,((version.uid IS NULL) AND version.before_completed AND (NOT version.completed)),version.valid_from,NULL::timestamp with time zone,NULL::text,NULL::text,NULL::timestamp with time zone), ('archived'::text,((version.uid IS NULL) AND (version.before_from IS NOT NULL) AND version.archived AND (NOT version.before_archived)),version.valid_from,NULL::timestamp with time zone,NULL::text,NULL::text,NULL::timestamp with time zone), ('unarchived'::text,((version.uid IS NULL) AND version.before_archived AND (NOT version.archived)),version.valid_from,NULL::timestamp with time zone,NULL::text,NULL::text,NULL::timestamp with time zone), ('due'::text,((version.uid IS NULL) AND (version.before_from IS NOT NULL) AND (version.due_at IS DISTINCT FROM version.before_due_at)),version.valid_from,NULL::timestamp with time zone,to_char((version.before_due_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS"Z"'::text),to_char((version.due_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS"Z"'::text),NULL::timestamp with time zone), ('assigned'::text,((version.uid IS NOT NULL) AND (version.valid_from > version.first_seen_at) AND (version.before_to IS DISTINCT FROM version.valid_from) AND (((version.valid_from = ANY (version.task_from)) AND ((version.valid_from = ANY (version.task_to)) IS NOT TRUE)) IS NOT TRUE)),version.valid_from,NULL::timestamp with time zone,NULL::text,version.uid,NULL::timestamp with time zone), ('unassigned'::text,((version.uid IS NOT NULL) AND (version.valid_to IS NOT NULL) AND (version.next_from IS DISTINCT FROM version.valid_to) AND (((version.valid_to = ANY (version.task_to)) AND ((version.valid_to = ANY (version.task_from)) IS NOT TRUE)) IS NOT TRUE)),version.valid_to,NULL::timestamp with time zone,version.uid,NULL::text,NULL::timestamp with time zone), ('deleted'::text,((version.uid IS NULL) AND (version.valid_to IS NOT NULL) AND (version.next_from IS DISTINCT FROM version.valid_to)),version.valid_to,NULL::timestamp with time zone,NULL::text,NULL::text,NULL::timestamp with time zone)) change(kind, happened, seen_at, sent_at, from_value, to_value, held_since))
          WHERE change.happened) moved
     LEFT JOIN collab.projects project ON ((project.pid = moved.pid)))
     LEFT JOIN collab.tasks task ON (((task.pid = moved.pid) AND (task.tid = moved.tid))))
     LEFT JOIN collab.entries from_entry ON (((from_entry.pid = moved.pid) AND (moved.kind = 'group'::text) AND (from_entry.entry_id = moved.from_value))))
     LEFT JOIN collab.entries to_entry ON (((to_entry.pid = moved.pid) AND (moved.kind = 'group'::text) AND (to_entry.entry_id = moved.to_value))))
     LEFT JOIN collab.users from_user ON (((moved.kind = 'unassigned'::text) AND (from_user.uid = moved.from_value))))
     LEFT JOIN collab.users to_user ON (((moved.kind = 'assigned'::text) AND (to_user.uid = moved.to_value))));

COMMENT ON VIEW collab.fct_task_transition IS 'One row per change of a task that a run saw, from history: of several changes between two runs, only the last one is known';
COMMENT ON COLUMN collab.fct_task_transition.pid IS 'project id';
COMMENT ON COLUMN collab.fct_task_transition.project_name IS 'project name';
COMMENT ON COLUMN collab.fct_task_transition.tid IS 'task id';
COMMENT ON COLUMN collab.fct_task_transition.task_name IS 'current task name';
COMMENT ON COLUMN collab.fct_task_transition.kind IS 'added (first seen), group (moved to another task group), completed, reopened, archived, unarchived, due (due date changed), assigned, unassigned, deleted or restored';
COMMENT ON COLUMN collab.fct_task_transition.seen_at IS 'start of the run that first saw the change';
COMMENT ON COLUMN collab.fct_task_transition.sent_at IS 'kind completed: the completion time that the service sent; other kinds: null';
COMMENT ON COLUMN collab.fct_task_transition.from_value IS 'kind group: id of the previous task group; unassigned: user id; due: previous due date (UTC); null if there is none';
COMMENT ON COLUMN collab.fct_task_transition.to_value IS 'kind group: id of the new task group; assigned: user id; due: new due date (UTC); null if there is none';
COMMENT ON COLUMN collab.fct_task_transition.from_name IS 'name of from_value';
COMMENT ON COLUMN collab.fct_task_transition.to_name IS 'name of to_value';
COMMENT ON COLUMN collab.fct_task_transition.hours_before IS 'kind group: hours in the previous task group, since the run that first saw it there; restored: hours during which it was deleted; other kinds: null';

CREATE VIEW collab.task_completions AS
 SELECT known.pid,
    known.tid,
    known.completed_at,
    known.is_sent,
    known.shown_at,
    project.name AS project_name,
    COALESCE(known.completed_at,
        CASE
            WHEN (known.updated_at < known.shown_at) THEN known.updated_at
            ELSE NULL::timestamp with time zone
        END) AS counted_at,
    known.created_at
   FROM (( SELECT stretch.pid,
            stretch.tid,
            stretch.created_at,
            stretch.shown_at,
            stretch.updated_at,
            (stretch.sent_at IS NOT NULL) AS is_sent,
                CASE
                    WHEN (stretch.sent_at IS NOT NULL) THEN stretch.sent_at
                    WHEN (stretch.was_open OR (stretch.created_at > seen.tasks_first_read_at)) THEN stretch.shown_at
                    ELSE NULL::timestamp with time zone
                END AS completed_at
           FROM (( SELECT numbered.tid,
                    numbered.created_at,
                    (numbered.open_versions > 0) AS was_open,
                    min(numbered.pid) FILTER (WHERE numbered.is_first) AS pid,
                    min(numbered.valid_from) FILTER (WHERE numbered.is_first) AS shown_at,
                    min(numbered.updated_at) FILTER (WHERE numbered.is_first) AS updated_at,
                    max(numbered.completed_at) FILTER (WHERE numbered.completed) AS sent_at
                   FROM ( SELECT version.pid,
                            version.tid,
                            version.created_at,
                            version.completed,
                            version.completed_at,
                            version.updated_at,
                            version.valid_from,
                            version.only_pid,
                            (version.completed AND (lag(version.completed) OVER w IS NOT TRUE)) AS is_first,
                            count(*) FILTER (WHERE (version.completed IS NOT TRUE)) OVER w AS open_versions
                           FROM ( SELECT seen_1.pid,
                                    seen_1.tid,
                                    seen_1.created_at,
                                    seen_1.completed,
                                    seen_1.completed_at,
                                    seen_1.updated_at,
                                    seen_1.valid_from,
CASE
 WHEN (seen_1.created_at IS NULL) THEN seen_1.pid
 ELSE NULL::text
END AS only_pid
                                   FROM ( SELECT tasks.pid,
    tasks.tid,
    tasks.created_at,
    tasks.completed,
    tasks.completed_at,
    tasks.updated_at,
    tasks.valid_from
   FROM collab.tasks
  WHERE (tasks.deleted_at IS NULL)
UNION ALL
 SELECT past.pid,
    past.tid,
    task.created_at,
    past.completed,
    past.completed_at,
    past.updated_at,
    past.valid_from
   FROM (collab_history.tasks past
     JOIN collab.tasks task ON (((task.pid = past.pid) AND (task.tid = past.tid))))) seen_1) version
                          WINDOW w AS (PARTITION BY version.tid, version.created_at, version.only_pid ORDER BY version.valid_from, version.pid ROWS UNBOUNDED PRECEDING)) numbered
                  GROUP BY numbered.tid, numbered.created_at, numbered.only_pid, numbered.open_versions
                 HAVING bool_or(numbered.is_first)) stretch
             LEFT JOIN collab.project_first_seen seen ON ((seen.pid = stretch.pid)))) known
     LEFT JOIN collab.projects project ON ((project.pid = known.pid)));

COMMENT ON VIEW collab.task_completions IS 'Each time a task was completed: a task that was reopened may have several; deleted tasks too. One that was moved to another project counts in the project in which it was first seen completed';
COMMENT ON COLUMN collab.task_completions.pid IS 'project id';
COMMENT ON COLUMN collab.task_completions.tid IS 'task id';
COMMENT ON COLUMN collab.task_completions.completed_at IS 'completion time as sent, the last one where it was sent several times; else start of the run that first saw it completed; null when neither is known: it was first seen completed, without a time, and is older than the first snapshot of the project''s tasks';
COMMENT ON COLUMN collab.task_completions.is_sent IS 'whether completed_at is as sent (else it may be late by the time between two runs)';
COMMENT ON COLUMN collab.task_completions.shown_at IS 'start of the run that first saw it completed';
COMMENT ON COLUMN collab.task_completions.project_name IS 'project name';
COMMENT ON COLUMN collab.task_completions.counted_at IS 'time by which the models count it: completed_at; if that is null, the last update of the task before it was first seen, by which it was completed; null if that is not known either';
COMMENT ON COLUMN collab.task_completions.created_at IS 'creation time of the task';

CREATE VIEW collab.task_cycle_times AS
 SELECT task.pid,
    task.tid,
    task.name,
    task.entry_id,
    entry.name AS entry_name,
    task.created_at,
    task.first_seen_at,
    task.completed_at,
    task.completed_at_is_sent,
    (task.completed_at - task.created_at) AS cycle_time,
    ((EXTRACT(epoch FROM (task.completed_at - task.created_at)) / (3600)::numeric))::double precision AS cycle_hours,
    task.reopened_count,
    task.deleted_at,
    project.name AS project_name
   FROM ((( SELECT known.pid,
            known.tid,
            max(known.name) AS name,
            max(known.entry_id) AS entry_id,
            max(known.created_at) AS created_at,
            min(known.first_seen_at) AS first_seen_at,
                CASE
                    WHEN bool_or(known.is_completed) THEN max(known.completed_at)
                    ELSE NULL::timestamp with time zone
                END AS completed_at,
                CASE
                    WHEN (bool_or(known.is_completed) AND (max(known.completed_at) IS NOT NULL)) THEN (NOT (max(known.completed_at) FILTER (WHERE known.is_sent) IS DISTINCT FROM max(known.completed_at)))
                    ELSE NULL::boolean
                END AS completed_at_is_sent,
            (count(*) FILTER (WHERE known.is_reopening))::integer AS reopened_count,
            max(known.deleted_at) AS deleted_at
           FROM ( SELECT tasks.pid,
                    tasks.tid,
                    tasks.name,
                    tasks.entry_id,
                    tasks.created_at,
                    (tasks.completed IS TRUE) AS is_completed,
                    tasks.deleted_at,
                    NULL::timestamp with time zone AS first_seen_at,
                    tasks.completed_at,
                    (tasks.completed_at IS NOT NULL) AS is_sent,
                    false AS is_reopening
                   FROM collab.tasks
                UNION ALL
                 SELECT task_versions.pid,
                    task_versions.tid,
                    NULL::text,
                    NULL::text,
                    NULL::timestamp with time zone,
                    NULL::boolean,
                    NULL::timestamp with time zone,
                    task_versions.valid_from,
                    NULL::timestamp with time zone,
                    NULL::boolean,
                    ((task_versions.completed IS NOT TRUE) AND lag(task_versions.completed) OVER (PARTITION BY task_versions.pid, task_versions.tid ORDER BY task_versions.valid_from))
                   FROM collab.task_versions
                UNION ALL
                 SELECT task_completions.pid,
                    task_completions.tid,
                    NULL::text,
                    NULL::text,
                    NULL::timestamp with time zone,
                    NULL::boolean,
                    NULL::timestamp with time zone,
                    NULL::timestamp with time zone,
                    task_completions.completed_at,
                    task_completions.is_sent,
                    false
                   FROM collab.task_completions) known
          GROUP BY known.pid, known.tid) task
     LEFT JOIN collab.projects project ON ((project.pid = task.pid)))
     LEFT JOIN collab.entries entry ON (((entry.pid = task.pid) AND (entry.entry_id = task.entry_id))));

COMMENT ON VIEW collab.task_cycle_times IS 'How long each task took from creation to completion; open tasks and deleted ones too';
COMMENT ON COLUMN collab.task_cycle_times.pid IS 'project id';
COMMENT ON COLUMN collab.task_cycle_times.tid IS 'task id';
COMMENT ON COLUMN collab.task_cycle_times.name IS 'task name';
COMMENT ON COLUMN collab.task_cycle_times.entry_id IS 'task group id; null when in none';
COMMENT ON COLUMN collab.task_cycle_times.entry_name IS 'task group name';
COMMENT ON COLUMN collab.task_cycle_times.created_at IS 'creation time';
COMMENT ON COLUMN collab.task_cycle_times.first_seen_at IS 'start of the run that first saw the task';
COMMENT ON COLUMN collab.task_cycle_times.completed_at IS 'time of its last completion; null while it is open, and when the time is not known';
COMMENT ON COLUMN collab.task_cycle_times.completed_at_is_sent IS 'whether completed_at is as sent, not the start of the run that first saw it completed; null without completed_at';
COMMENT ON COLUMN collab.task_cycle_times.cycle_time IS 'from created_at to completed_at';
COMMENT ON COLUMN collab.task_cycle_times.cycle_hours IS 'the same in hours';
COMMENT ON COLUMN collab.task_cycle_times.reopened_count IS 'how often a run saw it open again that had been completed; reopened and completed again between two runs does not show';
COMMENT ON COLUMN collab.task_cycle_times.deleted_at IS 'start of the run that found it gone; null while it exists';
COMMENT ON COLUMN collab.task_cycle_times.project_name IS 'project name';

CREATE VIEW collab.fct_task AS
 SELECT task.pid,
    project.name AS project_name,
    task.tid,
    task.name,
    task.entry_id,
    entry.name AS entry_name,
        CASE
            WHEN (task.deleted_at IS NOT NULL) THEN 'deleted'::text
            WHEN task.is_archived THEN 'archived'::text
            WHEN task.is_completed THEN 'completed'::text
            ELSE 'open'::text
        END AS status,
    ((task.deleted_at IS NULL) AND (NOT task.is_archived) AND (NOT task.is_completed) AND COALESCE((task.due_at < now()), false)) AS is_overdue,
    task.created_at,
    task.first_seen_at,
    task.started_at,
    task.due_at,
    task.completed_at,
    ((EXTRACT(epoch FROM (task.completed_at - task.created_at)) / (3600)::numeric))::double precision AS lead_hours,
        CASE
            WHEN (task.completed_at > task.started_at) THEN ((EXTRACT(epoch FROM (task.completed_at - task.started_at)) / (3600)::numeric))::double precision
            ELSE NULL::double precision
        END AS cycle_hours,
    task.reopened_count,
    task.group_changes,
    task.due_changes,
    task.updated_at,
    task.members,
    task.labels,
    task.comment_count,
    task.todo_count,
    task.todo_checked_count,
    task.file_count,
    task.deleted_at,
    task.completed_at_is_sent,
    task.moved_to_pid,
    COALESCE(project.archived, false) AS project_is_archived
   FROM ((( SELECT known.pid,
            known.tid,
            max(known.name) AS name,
            max(known.entry_id) AS entry_id,
            bool_or(known.is_archived) AS is_archived,
            bool_or(known.is_completed) AS is_completed,
            max(known.created_at) AS created_at,
            max(known.due_at) AS due_at,
            max(known.updated_at) AS updated_at,
            max(known.task_deleted_at) AS deleted_at,
            min(known.first_seen_at) AS first_seen_at,
            min(known.seen_at) FILTER (WHERE (known.kind = 'group'::text)) AS started_at,
            max(known.completed_at) AS completed_at,
            bool_or(known.completed_at_is_sent) AS completed_at_is_sent,
            max(known.reopened_count) AS reopened_count,
            (count(*) FILTER (WHERE (known.kind = 'group'::text)))::integer AS group_changes,
            (count(*) FILTER (WHERE (known.kind = 'due'::text)))::integer AS due_changes,
            COALESCE(array_agg(known.member ORDER BY known.member) FILTER (WHERE (known.member IS NOT NULL)), '{}'::text[]) AS members,
            COALESCE(array_agg(known.label ORDER BY known.label) FILTER (WHERE (known.label IS NOT NULL)), '{}'::text[]) AS labels,
            max(known.comment_count) AS comment_count,
            max(known.todo_count) AS todo_count,
            max(known.todo_checked_count) AS todo_checked_count,
            max(known.file_count) AS file_count,
            max(known.moved_to_pid) AS moved_to_pid
           FROM ( SELECT tasks.pid,
                    tasks.tid,
                    tasks.name,
                    tasks.entry_id,
                    (tasks.archived IS TRUE) AS is_archived,
                    (tasks.completed IS TRUE) AS is_completed,
                    tasks.created_at,
                    tasks.due_at,
                    tasks.updated_at,
                    tasks.deleted_at AS task_deleted_at,
                    tasks.comment_count,
                    tasks.todo_count,
                    tasks.todo_checked_count,
                    tasks.file_count,
                    NULL::text AS kind,
                    NULL::timestamp with time zone AS seen_at,
                    NULL::timestamp with time zone AS first_seen_at,
                    NULL::timestamp with time zone AS completed_at,
                    NULL::boolean AS completed_at_is_sent,
                    NULL::integer AS reopened_count,
                    (NULL::unknown COLLATE "C") AS member,
                    (NULL::unknown COLLATE "C") AS label,
                    (NULL::unknown COLLATE "C") AS moved_to_pid
                   FROM collab.tasks
                UNION ALL
                 SELECT fct_task_transition.pid,
                    fct_task_transition.tid,
                    NULL::text,
                    NULL::text,
                    NULL::boolean,
                    NULL::boolean,
                    NULL::timestamp with time zone,
                    NULL::timestamp with time zone,
                    NULL::timestamp with time zone,
                    NULL::timestamp with time zone,
                    NULL::integer,
                    NULL::integer,
                    NULL::integer,
                    NULL::integer,
                    fct_task_transition.kind,
                    fct_task_transition.seen_at,
                    NULL::timestamp with time zone,
                    NULL::timestamp with time zone,
                    NULL::boolean,
                    NULL::integer,
                    NULL::text,
                    NULL::text,
                    NULL::text
                   FROM collab.fct_task_transition
                  WHERE (fct_task_transition.kind = ANY (ARRAY['group'::text, 'due'::text]))
                UNION ALL
                 SELECT task_cycle_times.pid,
                    task_cycle_times.tid,
                    NULL::text,
                    NULL::text,
                    NULL::boolean,
                    NULL::boolean,
                    NULL::timestamp with time zone,
                    NULL::timestamp with time zone,
                    NULL::timestamp with time zone,
                    NULL::timestamp with time zone,
                    NULL::integer,
                    NULL::integer,
                    NULL::integer,
                    NULL::integer,
                    NULL::text,
                    NULL::timestamp with time zone,
                    task_cycle_times.first_seen_at,
                    task_cycle_times.completed_at,
                    task_cycle_times.completed_at_is_sent,
                    task_cycle_times.reopened_count,
                    NULL::text,
                    NULL::text,
                    NULL::text
                   FROM collab.task_cycle_times
                UNION ALL
                 SELECT m.pid,
                    m.tid,
                    NULL::text,
                    NULL::text,
                    NULL::boolean,
                    NULL::boolean,
                    NULL::timestamp with time zone,
                    NULL::timestamp with time zone,
                    NULL::timestamp with time zone,
                    NULL::timestamp with time zone,
                    NULL::integer,
                    NULL::integer,
                    NULL::integer,
                    NULL::integer,
                    NULL::text,
                    NULL::timestamp with time zone,
                    NULL::timestamp with time zone,
                    NULL::timestamp with time zone,
                    NULL::boolean,
                    NULL::integer,
                    (COALESCE(users.name, m.uid) COLLATE "C") AS "coalesce",
                    NULL::text,
                    NULL::text
                   FROM (collab.task_members m
                     LEFT JOIN collab.users ON ((users.uid = m.uid)))
                  WHERE (m.deleted_at IS NULL)
                UNION ALL
                 SELECT task_labels.pid,
                    task_labels.tid,
                    NULL::text,
                    NULL::text,
                    NULL::boolean,
                    NULL::boolean,
                    NULL::timestamp with time zone,
                    NULL::timestamp with time zone,
                    NULL::timestamp with time zone,
                    NULL::timestamp with time zone,
                    NULL::integer,
                    NULL::integer,
                    NULL::integer,
                    NULL::integer,
                    NULL::text,
                    NULL::timestamp with time zone,
                    NULL::timestamp with time zone,
                    NULL::timestamp with time zone,
                    NULL::boolean,
                    NULL::integer,
                    NULL::text,
                    task_labels.name,
                    NULL::text
                   FROM collab.task_labels
                  WHERE (task_labels.deleted_at IS NULL)
                UNION ALL
                 SELECT unnest(moved.former_pids) AS unnest,
                    moved.tid,
                    NULL::text,
                    NULL::text,
                    NULL::boolean,
                    NULL::boolean,
                    NULL::timestamp with time zone,
                    NULL::timestamp with time zone,
                    NULL::timestamp with time zone,
                    NULL::timestamp with time zone,
                    NULL::integer,
                    NULL::integer,
                    NULL::integer,
                    NULL::integer,
                    NULL::text,
                    NULL::timestamp with time zone,
                    NULL::timestamp with time zone,
                    NULL::timestamp with time zone,
                    NULL::boolean,
                    NULL::integer,
                    NULL::text,
                    NULL::text,
                    moved.present_pid
                   FROM ( SELECT tasks.tid,
                            min(tasks.pid) FILTER (WHERE (tasks.deleted_at IS NULL)) AS present_pid,
                            array_agg(tasks.pid) FILTER (WHERE (tasks.deleted_at IS NOT NULL)) AS former_pids
                           FROM collab.tasks
                          WHERE (tasks.created_at IS NOT NULL)
                          GROUP BY tasks.tid, tasks.created_at
                         HAVING (count(*) > 1)) moved
                  WHERE (moved.present_pid IS NOT NULL)) known
          GROUP BY known.pid, known.tid
         HAVING bool_or((known.is_completed IS NOT NULL))) task
     LEFT JOIN collab.projects project ON ((project.pid = task.pid)))
     LEFT JOIN collab.entries entry ON (((entry.pid = task.pid) AND (entry.entry_id = task.entry_id))));

COMMENT ON VIEW collab.fct_task IS 'One row per task and project, deleted ones too: its state, times, people and labels. A task that was moved has a row in each of its projects; moved_to_pid IS NULL leaves one of them';
COMMENT ON COLUMN collab.fct_task.pid IS 'project id';
COMMENT ON COLUMN collab.fct_task.project_name IS 'project name';
COMMENT ON COLUMN collab.fct_task.tid IS 'task id';
COMMENT ON COLUMN collab.fct_task.name IS 'task name';
COMMENT ON COLUMN collab.fct_task.entry_id IS 'task group id; null when in none';
COMMENT ON COLUMN collab.fct_task.entry_name IS 'task group name';
COMMENT ON COLUMN collab.fct_task.status IS 'open, completed, archived (completed or not) or deleted';
COMMENT ON COLUMN collab.fct_task.is_overdue IS 'whether it is open and its due date is before now()';
COMMENT ON COLUMN collab.fct_task.created_at IS 'creation time';
COMMENT ON COLUMN collab.fct_task.first_seen_at IS 'start of the run that first saw the task';
COMMENT ON COLUMN collab.fct_task.started_at IS 'start of the run that first saw it in a task group other than its first one; null if it never moved';
COMMENT ON COLUMN collab.fct_task.due_at IS 'due date; null when there is none';
COMMENT ON COLUMN collab.fct_task.completed_at IS 'time of its last completion; null if the task is open or the time is unknown';
COMMENT ON COLUMN collab.fct_task.lead_hours IS 'hours from created_at to completed_at';
COMMENT ON COLUMN collab.fct_task.cycle_hours IS 'hours from started_at to completed_at; null if no run saw it in another group before it was completed: then it is not known how long it took';
COMMENT ON COLUMN collab.fct_task.reopened_count IS 'number of times a run found it open again after it was completed';
COMMENT ON COLUMN collab.fct_task.group_changes IS 'number of times a run found it in another task group than before';
COMMENT ON COLUMN collab.fct_task.due_changes IS 'number of times a run found another due date than before';
COMMENT ON COLUMN collab.fct_task.updated_at IS 'update time';
COMMENT ON COLUMN collab.fct_task.members IS 'names of its members, sorted; the user id where the name is unknown';
COMMENT ON COLUMN collab.fct_task.labels IS 'names of its labels, sorted';
COMMENT ON COLUMN collab.fct_task.comment_count IS 'number of comments';
COMMENT ON COLUMN collab.fct_task.todo_count IS 'number of checklist items';
COMMENT ON COLUMN collab.fct_task.todo_checked_count IS 'number of completed checklist items';
COMMENT ON COLUMN collab.fct_task.file_count IS 'number of attachments';
COMMENT ON COLUMN collab.fct_task.deleted_at IS 'start of the run that found it gone; null while it exists';
COMMENT ON COLUMN collab.fct_task.completed_at_is_sent IS 'whether completed_at is as sent, not the start of the run that first saw it completed; null without completed_at';
COMMENT ON COLUMN collab.fct_task.moved_to_pid IS 'project in which the task exists now, if it was moved there from this one; else null';
COMMENT ON COLUMN collab.fct_task.project_is_archived IS 'whether its project is archived';

CREATE VIEW collab.fct_task_daily AS
 SELECT (daily.pid COLLATE "C") AS pid,
    project.name AS project_name,
    daily.day,
    daily.open,
    daily.completed,
    daily.archived,
    daily.overdue,
    daily.created,
    daily.completed_that_day,
    daily.is_backfilled,
    daily.is_carried,
    daily.project_is_archived
   FROM (collab.fct_task_daily('2001-01-01'::date, 'infinity'::date) daily(pid, day, open, completed, archived, overdue, created, completed_that_day, is_backfilled, is_carried, project_is_archived)
     LEFT JOIN collab.projects project ON ((project.pid = daily.pid)));

COMMENT ON VIEW collab.fct_task_daily IS 'Tasks of each project at the end of each UTC day, from history, from the day its tasks were first read to that of the last finished run, without gaps. Before it (back-filled): calculated from the dates of the tasks that were there when they were first read. A project whose tasks were never read has no rows. The function of the same name takes a range of days';
COMMENT ON COLUMN collab.fct_task_daily.pid IS 'project id';
COMMENT ON COLUMN collab.fct_task_daily.project_name IS 'project name';
COMMENT ON COLUMN collab.fct_task_daily.day IS 'UTC day';
COMMENT ON COLUMN collab.fct_task_daily.open IS 'tasks neither completed nor archived at the end of the day, deleted ones until the day before they were found gone; back-filled: from creation until completion, or until the last update if the completion time is unknown';
COMMENT ON COLUMN collab.fct_task_daily.completed IS 'tasks completed and not archived at the end of the day; back-filled: completed or archived tasks';
COMMENT ON COLUMN collab.fct_task_daily.archived IS 'archived tasks at the end of the day; null while the archived tasks were not read, and back-filled: the service does not send the time of archiving';
COMMENT ON COLUMN collab.fct_task_daily.overdue IS 'open tasks whose due date is before the end of the day; back-filled: by the due date that was first read';
COMMENT ON COLUMN collab.fct_task_daily.created IS 'tasks whose creation time is on that day, each in the project in which it was first seen';
COMMENT ON COLUMN collab.fct_task_daily.completed_that_day IS 'completions on that day, by task_completions.counted_at: of tasks that were already archived when they were first seen, the last update counts';
COMMENT ON COLUMN collab.fct_task_daily.is_backfilled IS 'whether the day is before the project''s tasks were first read: tasks deleted earlier are missing, and a task that was reopened counts as open until its last completion';
COMMENT ON COLUMN collab.fct_task_daily.is_carried IS 'whether no run read the project''s tasks on that day, though the project exists: the figures are those of the day before; without access, for good';
COMMENT ON COLUMN collab.fct_task_daily.project_is_archived IS 'whether the project was archived at the end of the day; before it was first seen: as it was then';

CREATE VIEW collab.fct_task_member AS
 SELECT task.pid,
    project.name AS project_name,
    task.tid,
    task.name AS task_name,
    member.uid,
    person.name AS user_name,
    ((task.completed IS NOT TRUE) AND (task.archived IS NOT TRUE)) AS is_open,
    ((task.completed IS NOT TRUE) AND (task.archived IS NOT TRUE) AND COALESCE((task.due_at < now()), false)) AS is_overdue,
    task.due_at,
    task.updated_at,
    COALESCE(project.archived, false) AS project_is_archived
   FROM (((collab.task_members member
     JOIN collab.tasks task ON (((task.pid = member.pid) AND (task.tid = member.tid) AND (task.deleted_at IS NULL))))
     LEFT JOIN collab.projects project ON ((project.pid = task.pid)))
     LEFT JOIN collab.users person ON ((person.uid = member.uid)))
  WHERE (member.deleted_at IS NULL);

COMMENT ON VIEW collab.fct_task_member IS 'Members of existing tasks: one row per task and member; completed and archived tasks too';
COMMENT ON COLUMN collab.fct_task_member.pid IS 'project id';
COMMENT ON COLUMN collab.fct_task_member.project_name IS 'project name';
COMMENT ON COLUMN collab.fct_task_member.tid IS 'task id';
COMMENT ON COLUMN collab.fct_task_member.task_name IS 'task name';
COMMENT ON COLUMN collab.fct_task_member.uid IS 'user id';
COMMENT ON COLUMN collab.fct_task_member.user_name IS 'user name';
COMMENT ON COLUMN collab.fct_task_member.is_open IS 'whether the task is neither completed nor archived';
COMMENT ON COLUMN collab.fct_task_member.is_overdue IS 'whether it is open and its due date is before now()';
COMMENT ON COLUMN collab.fct_task_member.due_at IS 'due date; null when there is none';
COMMENT ON COLUMN collab.fct_task_member.updated_at IS 'update time';
COMMENT ON COLUMN collab.fct_task_member.project_is_archived IS 'whether the project is archived';

CREATE TABLE collab.known_files (
    pid text NOT NULL COLLATE pg_catalog."C",
    fid text NOT NULL COLLATE pg_catalog."C",
    source text NOT NULL,
    first_seen_at timestamp with time zone NOT NULL,
    missed integer DEFAULT 0 NOT NULL,
    ask_again_at timestamp with time zone,
    unread boolean DEFAULT false NOT NULL,
    read_at timestamp with time zone
);

COMMENT ON TABLE collab.known_files IS 'Ids of files that are known, to be read by snapshots; the service does not list files';
COMMENT ON COLUMN collab.known_files.pid IS 'project id';
COMMENT ON COLUMN collab.known_files.fid IS 'file id';
COMMENT ON COLUMN collab.known_files.source IS 'where it was first found: in a text of a page, task, event or post, or of a comment (comment_text), or in a field of a comment (comment), of a task (attachment) or of another file (folder)';
COMMENT ON COLUMN collab.known_files.first_seen_at IS 'when it was first found';
COMMENT ON COLUMN collab.known_files.missed IS 'consecutive requests that were answered with not found or, if only texts name it, that failed; 0 if it was read last or never requested';
COMMENT ON COLUMN collab.known_files.ask_again_at IS 'runs before then do not ask for it again, unless it is named; null while missed is 0';
COMMENT ON COLUMN collab.known_files.unread IS 'whether the last request failed without showing whether it exists';
COMMENT ON COLUMN collab.known_files.read_at IS 'start of the last run that read and stored the file with all its comments; null if the last reading failed, or there was none';

CREATE TABLE collab.known_posts (
    pid text NOT NULL COLLATE pg_catalog."C",
    post_id text NOT NULL COLLATE pg_catalog."C",
    source text NOT NULL,
    first_seen_at timestamp with time zone NOT NULL,
    missed integer DEFAULT 0 NOT NULL,
    ask_again_at timestamp with time zone,
    unread boolean DEFAULT false NOT NULL,
    read_at timestamp with time zone
);

COMMENT ON TABLE collab.known_posts IS 'Ids of posts that are known, to be read by snapshots; the service does not list posts';
COMMENT ON COLUMN collab.known_posts.pid IS 'project id';
COMMENT ON COLUMN collab.known_posts.post_id IS 'post id';
COMMENT ON COLUMN collab.known_posts.source IS 'where it was first found: flag, file, page, task, event, comment, post or folder';
COMMENT ON COLUMN collab.known_posts.first_seen_at IS 'when it was first found';
COMMENT ON COLUMN collab.known_posts.missed IS 'consecutive requests that were answered with not found or, if only texts name it, that failed; 0 if it was read last or never requested';
COMMENT ON COLUMN collab.known_posts.ask_again_at IS 'runs before then do not ask for it again, unless it is named; null while missed is 0';
COMMENT ON COLUMN collab.known_posts.unread IS 'whether the last request failed without showing whether it exists';
COMMENT ON COLUMN collab.known_posts.read_at IS 'start of the last run that read and stored the post with all its comments; null if the last reading failed, or there was none';

CREATE VIEW collab.live_comment_files AS
 SELECT pid,
    cid,
    fid,
    name,
    description,
    size_bytes,
    path,
    folder_id,
    extra,
    valid_from,
    parent_kind,
    parent_id
   FROM collab.comment_files
  WHERE (deleted_at IS NULL);

COMMENT ON VIEW collab.live_comment_files IS 'Rows of comment_files that exist: deleted_at is null';
COMMENT ON COLUMN collab.live_comment_files.pid IS 'project id';
COMMENT ON COLUMN collab.live_comment_files.cid IS 'comment id';
COMMENT ON COLUMN collab.live_comment_files.fid IS 'file id';
COMMENT ON COLUMN collab.live_comment_files.name IS 'file name';
COMMENT ON COLUMN collab.live_comment_files.description IS 'file description';
COMMENT ON COLUMN collab.live_comment_files.size_bytes IS 'size in bytes';
COMMENT ON COLUMN collab.live_comment_files.path IS 'file path';
COMMENT ON COLUMN collab.live_comment_files.folder_id IS 'containing folder id; null at the top';
COMMENT ON COLUMN collab.live_comment_files.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.live_comment_files.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab.live_comment_files.parent_kind IS 'what was commented on: post or file';
COMMENT ON COLUMN collab.live_comment_files.parent_id IS 'post or file id, by parent_kind';

CREATE VIEW collab.live_entries AS
 SELECT pid,
    entry_id,
    name,
    extra,
    valid_from
   FROM collab.entries
  WHERE (deleted_at IS NULL);

COMMENT ON VIEW collab.live_entries IS 'Rows of entries that exist: deleted_at is null';
COMMENT ON COLUMN collab.live_entries.pid IS 'project id';
COMMENT ON COLUMN collab.live_entries.entry_id IS 'task group id';
COMMENT ON COLUMN collab.live_entries.name IS 'task group name, as the task that was updated last shows it; tasks that show another have it in extra';
COMMENT ON COLUMN collab.live_entries.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.live_entries.valid_from IS 'start of the run that first saw this version';

CREATE VIEW collab.live_event_attendees AS
 SELECT pid,
    event_id,
    uid,
    extra,
    valid_from,
    starts_at
   FROM collab.event_attendees
  WHERE (deleted_at IS NULL);

COMMENT ON VIEW collab.live_event_attendees IS 'Rows of event_attendees that exist: deleted_at is null';
COMMENT ON COLUMN collab.live_event_attendees.pid IS 'project id';
COMMENT ON COLUMN collab.live_event_attendees.event_id IS 'event id';
COMMENT ON COLUMN collab.live_event_attendees.uid IS 'user id';
COMMENT ON COLUMN collab.live_event_attendees.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.live_event_attendees.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab.live_event_attendees.starts_at IS 'start time of the occurrence';

CREATE VIEW collab.live_events AS
 SELECT pid,
    event_id,
    starts_at,
    ends_at,
    name,
    summary,
    location,
    email,
    description,
    recurrence,
    extra,
    valid_from
   FROM collab.events
  WHERE (deleted_at IS NULL);

COMMENT ON VIEW collab.live_events IS 'Rows of events that exist: deleted_at is null';
COMMENT ON COLUMN collab.live_events.pid IS 'project id';
COMMENT ON COLUMN collab.live_events.event_id IS 'event id';
COMMENT ON COLUMN collab.live_events.starts_at IS 'start time';
COMMENT ON COLUMN collab.live_events.ends_at IS 'end time';
COMMENT ON COLUMN collab.live_events.name IS 'event content';
COMMENT ON COLUMN collab.live_events.summary IS 'event description';
COMMENT ON COLUMN collab.live_events.location IS 'place; null when the service leaves it out';
COMMENT ON COLUMN collab.live_events.email IS 'e-mail of the user; null when the service leaves it out';
COMMENT ON COLUMN collab.live_events.description IS 'description of the user; null when the service leaves it out';
COMMENT ON COLUMN collab.live_events.recurrence IS 'how it recurs: 0 = not, 1 = daily, 2 = weekly, 3 = monthly, 4 = yearly';
COMMENT ON COLUMN collab.live_events.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.live_events.valid_from IS 'start of the run that first saw this version';

CREATE VIEW collab.live_file_comments AS
 SELECT pid,
    fid,
    cid,
    message,
    raw_message,
    type,
    format,
    owner_uid,
    created_at,
    extra,
    valid_from
   FROM collab.file_comments
  WHERE (deleted_at IS NULL);

COMMENT ON VIEW collab.live_file_comments IS 'Rows of file_comments that exist: deleted_at is null';
COMMENT ON COLUMN collab.live_file_comments.pid IS 'project id';
COMMENT ON COLUMN collab.live_file_comments.fid IS 'file id';
COMMENT ON COLUMN collab.live_file_comments.cid IS 'comment id';
COMMENT ON COLUMN collab.live_file_comments.message IS 'content';
COMMENT ON COLUMN collab.live_file_comments.raw_message IS 'content in markdown';
COMMENT ON COLUMN collab.live_file_comments.type IS 'kind of content: 1 = text, 2 = emotion, 3 = audio';
COMMENT ON COLUMN collab.live_file_comments.format IS 'format of the content: 1 = text, 2 = html';
COMMENT ON COLUMN collab.live_file_comments.owner_uid IS 'user id of the author';
COMMENT ON COLUMN collab.live_file_comments.created_at IS 'comment time';
COMMENT ON COLUMN collab.live_file_comments.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.live_file_comments.valid_from IS 'start of the run that first saw this version';

CREATE VIEW collab.live_file_watchers AS
 SELECT pid,
    fid,
    uid,
    extra,
    valid_from
   FROM collab.file_watchers
  WHERE (deleted_at IS NULL);

COMMENT ON VIEW collab.live_file_watchers IS 'Rows of file_watchers that exist: deleted_at is null';
COMMENT ON COLUMN collab.live_file_watchers.pid IS 'project id';
COMMENT ON COLUMN collab.live_file_watchers.fid IS 'file id';
COMMENT ON COLUMN collab.live_file_watchers.uid IS 'user id';
COMMENT ON COLUMN collab.live_file_watchers.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.live_file_watchers.valid_from IS 'start of the run that first saw this version';

CREATE VIEW collab.live_files AS
 SELECT pid,
    fid,
    name,
    description,
    size_bytes,
    path,
    folder_id,
    type,
    created_at,
    updated_at,
    owner_uid,
    extra,
    valid_from
   FROM collab.files
  WHERE (deleted_at IS NULL);

COMMENT ON VIEW collab.live_files IS 'Rows of files that exist: deleted_at is null';
COMMENT ON COLUMN collab.live_files.pid IS 'project id';
COMMENT ON COLUMN collab.live_files.fid IS 'file id';
COMMENT ON COLUMN collab.live_files.name IS 'name';
COMMENT ON COLUMN collab.live_files.description IS 'description';
COMMENT ON COLUMN collab.live_files.size_bytes IS 'size in bytes';
COMMENT ON COLUMN collab.live_files.path IS 'path';
COMMENT ON COLUMN collab.live_files.folder_id IS 'parent folder id; null at the top';
COMMENT ON COLUMN collab.live_files.type IS 'kind: 0 = file, 1 = folder';
COMMENT ON COLUMN collab.live_files.created_at IS 'upload time';
COMMENT ON COLUMN collab.live_files.updated_at IS 'update time';
COMMENT ON COLUMN collab.live_files.owner_uid IS 'user id of the uploader';
COMMENT ON COLUMN collab.live_files.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.live_files.valid_from IS 'start of the run that first saw this version';

CREATE VIEW collab.live_page_watchers AS
 SELECT pid,
    page_id,
    uid,
    extra,
    valid_from
   FROM collab.page_watchers
  WHERE (deleted_at IS NULL);

COMMENT ON VIEW collab.live_page_watchers IS 'Rows of page_watchers that exist: deleted_at is null';
COMMENT ON COLUMN collab.live_page_watchers.pid IS 'project id';
COMMENT ON COLUMN collab.live_page_watchers.page_id IS 'document id';
COMMENT ON COLUMN collab.live_page_watchers.uid IS 'user id';
COMMENT ON COLUMN collab.live_page_watchers.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.live_page_watchers.valid_from IS 'start of the run that first saw this version';

CREATE VIEW collab.live_pages AS
 SELECT pid,
    page_id,
    parent_id,
    name,
    summary,
    content,
    created_at,
    updated_at,
    owner_uid,
    extra,
    valid_from
   FROM collab.pages
  WHERE (deleted_at IS NULL);

COMMENT ON VIEW collab.live_pages IS 'Rows of pages that exist: deleted_at is null';
COMMENT ON COLUMN collab.live_pages.pid IS 'project id';
COMMENT ON COLUMN collab.live_pages.page_id IS 'document id';
COMMENT ON COLUMN collab.live_pages.parent_id IS 'parent document id; null at the top level';
COMMENT ON COLUMN collab.live_pages.name IS 'document name';
COMMENT ON COLUMN collab.live_pages.summary IS 'document content';
COMMENT ON COLUMN collab.live_pages.content IS 'content in markdown';
COMMENT ON COLUMN collab.live_pages.created_at IS 'creation time';
COMMENT ON COLUMN collab.live_pages.updated_at IS 'update time';
COMMENT ON COLUMN collab.live_pages.owner_uid IS 'user id of the creator';
COMMENT ON COLUMN collab.live_pages.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.live_pages.valid_from IS 'start of the run that first saw this version';

CREATE VIEW collab.live_post_comments AS
 SELECT pid,
    post_id,
    cid,
    message,
    raw_message,
    type,
    format,
    owner_uid,
    created_at,
    extra,
    valid_from
   FROM collab.post_comments
  WHERE (deleted_at IS NULL);

COMMENT ON VIEW collab.live_post_comments IS 'Rows of post_comments that exist: deleted_at is null';
COMMENT ON COLUMN collab.live_post_comments.pid IS 'project id';
COMMENT ON COLUMN collab.live_post_comments.post_id IS 'post id';
COMMENT ON COLUMN collab.live_post_comments.cid IS 'comment id';
COMMENT ON COLUMN collab.live_post_comments.message IS 'content';
COMMENT ON COLUMN collab.live_post_comments.raw_message IS 'content in markdown';
COMMENT ON COLUMN collab.live_post_comments.type IS 'kind of content: 1 = text, 2 = emotion, 3 = audio';
COMMENT ON COLUMN collab.live_post_comments.format IS 'format of the content: 1 = text, 2 = html';
COMMENT ON COLUMN collab.live_post_comments.owner_uid IS 'user id of the author';
COMMENT ON COLUMN collab.live_post_comments.created_at IS 'comment time';
COMMENT ON COLUMN collab.live_post_comments.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.live_post_comments.valid_from IS 'start of the run that first saw this version';

CREATE VIEW collab.live_post_watchers AS
 SELECT pid,
    post_id,
    uid,
    extra,
    valid_from
   FROM collab.post_watchers
  WHERE (deleted_at IS NULL);

COMMENT ON VIEW collab.live_post_watchers IS 'Rows of post_watchers that exist: deleted_at is null';
COMMENT ON COLUMN collab.live_post_watchers.pid IS 'project id';
COMMENT ON COLUMN collab.live_post_watchers.post_id IS 'post id';
COMMENT ON COLUMN collab.live_post_watchers.uid IS 'user id';
COMMENT ON COLUMN collab.live_post_watchers.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.live_post_watchers.valid_from IS 'start of the run that first saw this version';

CREATE VIEW collab.live_posts AS
 SELECT pid,
    post_id,
    name,
    summary,
    content,
    created_at,
    updated_at,
    owner_uid,
    extra,
    valid_from
   FROM collab.posts
  WHERE (deleted_at IS NULL);

COMMENT ON VIEW collab.live_posts IS 'Rows of posts that exist: deleted_at is null';
COMMENT ON COLUMN collab.live_posts.pid IS 'project id';
COMMENT ON COLUMN collab.live_posts.post_id IS 'post id';
COMMENT ON COLUMN collab.live_posts.name IS 'title';
COMMENT ON COLUMN collab.live_posts.summary IS 'content';
COMMENT ON COLUMN collab.live_posts.content IS 'content in markdown';
COMMENT ON COLUMN collab.live_posts.created_at IS 'creation time';
COMMENT ON COLUMN collab.live_posts.updated_at IS 'update time';
COMMENT ON COLUMN collab.live_posts.owner_uid IS 'user id of the creator';
COMMENT ON COLUMN collab.live_posts.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.live_posts.valid_from IS 'start of the run that first saw this version';

CREATE VIEW collab.live_project_labels AS
 SELECT pid,
    name,
    description,
    extra,
    valid_from
   FROM collab.project_labels
  WHERE (deleted_at IS NULL);

COMMENT ON VIEW collab.live_project_labels IS 'Rows of project_labels that exist: deleted_at is null';
COMMENT ON COLUMN collab.live_project_labels.pid IS 'project id';
COMMENT ON COLUMN collab.live_project_labels.name IS 'label name (a colour word)';
COMMENT ON COLUMN collab.live_project_labels.description IS 'label description';
COMMENT ON COLUMN collab.live_project_labels.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.live_project_labels.valid_from IS 'start of the run that first saw this version';

CREATE VIEW collab.live_projects AS
 SELECT pid,
    name,
    description,
    archived,
    pic,
    bg,
    visibility,
    team_id,
    is_starred,
    "position",
    member_count,
    curr_role,
    permission,
    created_by_uid,
    extra,
    valid_from,
    unlisted_since
   FROM collab.projects
  WHERE (deleted_at IS NULL);

COMMENT ON VIEW collab.live_projects IS 'Rows of projects that exist: deleted_at is null';
COMMENT ON COLUMN collab.live_projects.pid IS 'project id';
COMMENT ON COLUMN collab.live_projects.name IS 'project name';
COMMENT ON COLUMN collab.live_projects.description IS 'description';
COMMENT ON COLUMN collab.live_projects.archived IS 'whether the project is archived';
COMMENT ON COLUMN collab.live_projects.pic IS 'icon';
COMMENT ON COLUMN collab.live_projects.bg IS 'background colour';
COMMENT ON COLUMN collab.live_projects.visibility IS 'who may see it: 1 = private, 2 = team, 3 = public';
COMMENT ON COLUMN collab.live_projects.team_id IS 'team id';
COMMENT ON COLUMN collab.live_projects.is_starred IS 'whether it is a favourite of the token''s user';
COMMENT ON COLUMN collab.live_projects."position" IS 'position in the user''s list (may be fractional)';
COMMENT ON COLUMN collab.live_projects.member_count IS 'number of members';
COMMENT ON COLUMN collab.live_projects.curr_role IS 'role of the token''s user: 1 = administrator, 2 = member, 3 = visitor, 4 = guest';
COMMENT ON COLUMN collab.live_projects.permission IS 'permission of the token''s user: 0 = cannot operate, 5 = guest, 7 = visitor, 15 = member, 31 = administrator';
COMMENT ON COLUMN collab.live_projects.created_by_uid IS 'user id of the creator';
COMMENT ON COLUMN collab.live_projects.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.live_projects.valid_from IS 'start of the run that first saw this version';
COMMENT ON COLUMN collab.live_projects.unlisted_since IS 'start of the run that first found it missing from the list though it could be read; null while it is listed; what the list alone shows (is_starred to permission) stays as it was last listed';

CREATE VIEW collab.live_task_labels AS
 SELECT pid,
    tid,
    name,
    description,
    extra,
    valid_from
   FROM collab.task_labels
  WHERE (deleted_at IS NULL);

COMMENT ON VIEW collab.live_task_labels IS 'Rows of task_labels that exist: deleted_at is null';
COMMENT ON COLUMN collab.live_task_labels.pid IS 'project id';
COMMENT ON COLUMN collab.live_task_labels.tid IS 'task id';
COMMENT ON COLUMN collab.live_task_labels.name IS 'label name (a colour word)';
COMMENT ON COLUMN collab.live_task_labels.description IS 'label description';
COMMENT ON COLUMN collab.live_task_labels.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.live_task_labels.valid_from IS 'start of the run that first saw this version';

CREATE VIEW collab.live_task_members AS
 SELECT pid,
    tid,
    uid,
    extra,
    valid_from
   FROM collab.task_members
  WHERE (deleted_at IS NULL);

COMMENT ON VIEW collab.live_task_members IS 'Rows of task_members that exist: deleted_at is null';
COMMENT ON COLUMN collab.live_task_members.pid IS 'project id';
COMMENT ON COLUMN collab.live_task_members.tid IS 'task id';
COMMENT ON COLUMN collab.live_task_members.uid IS 'user id';
COMMENT ON COLUMN collab.live_task_members.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.live_task_members.valid_from IS 'start of the run that first saw this version';

CREATE VIEW collab.live_task_todos AS
 SELECT pid,
    tid,
    todo_id,
    name,
    checked,
    "position",
    extra,
    valid_from
   FROM collab.task_todos
  WHERE (deleted_at IS NULL);

COMMENT ON VIEW collab.live_task_todos IS 'Rows of task_todos that exist: deleted_at is null';
COMMENT ON COLUMN collab.live_task_todos.pid IS 'project id';
COMMENT ON COLUMN collab.live_task_todos.tid IS 'task id';
COMMENT ON COLUMN collab.live_task_todos.todo_id IS 'checklist item id';
COMMENT ON COLUMN collab.live_task_todos.name IS 'checklist item name';
COMMENT ON COLUMN collab.live_task_todos.checked IS 'whether it is done';
COMMENT ON COLUMN collab.live_task_todos."position" IS 'position';
COMMENT ON COLUMN collab.live_task_todos.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.live_task_todos.valid_from IS 'start of the run that first saw this version';

CREATE VIEW collab.live_task_watchers AS
 SELECT pid,
    tid,
    uid,
    extra,
    valid_from
   FROM collab.task_watchers
  WHERE (deleted_at IS NULL);

COMMENT ON VIEW collab.live_task_watchers IS 'Rows of task_watchers that exist: deleted_at is null';
COMMENT ON COLUMN collab.live_task_watchers.pid IS 'project id';
COMMENT ON COLUMN collab.live_task_watchers.tid IS 'task id';
COMMENT ON COLUMN collab.live_task_watchers.uid IS 'user id';
COMMENT ON COLUMN collab.live_task_watchers.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.live_task_watchers.valid_from IS 'start of the run that first saw this version';

CREATE VIEW collab.live_tasks AS
 SELECT pid,
    tid,
    entry_id,
    name,
    description,
    "position",
    completed,
    completed_at,
    due_at,
    created_at,
    updated_at,
    archived,
    comment_count,
    todo_count,
    todo_checked_count,
    file_count,
    extra,
    valid_from
   FROM collab.tasks
  WHERE (deleted_at IS NULL);

COMMENT ON VIEW collab.live_tasks IS 'Rows of tasks that exist: deleted_at is null';
COMMENT ON COLUMN collab.live_tasks.pid IS 'project id';
COMMENT ON COLUMN collab.live_tasks.tid IS 'task id';
COMMENT ON COLUMN collab.live_tasks.entry_id IS 'task group id; null when in none';
COMMENT ON COLUMN collab.live_tasks.name IS 'task name';
COMMENT ON COLUMN collab.live_tasks.description IS 'task description';
COMMENT ON COLUMN collab.live_tasks."position" IS 'position; null when the task is in the archived list alone, where it has none';
COMMENT ON COLUMN collab.live_tasks.completed IS 'whether the task is completed';
COMMENT ON COLUMN collab.live_tasks.completed_at IS 'completion time; the archived list does not have it: an archived task keeps the last known one while it is completed; null when there is none, or none was ever read';
COMMENT ON COLUMN collab.live_tasks.due_at IS 'due date; null when there is none';
COMMENT ON COLUMN collab.live_tasks.created_at IS 'creation time';
COMMENT ON COLUMN collab.live_tasks.updated_at IS 'update time';
COMMENT ON COLUMN collab.live_tasks.archived IS 'whether it was read from the list of archived tasks';
COMMENT ON COLUMN collab.live_tasks.comment_count IS 'number of comments';
COMMENT ON COLUMN collab.live_tasks.todo_count IS 'number of checklist items';
COMMENT ON COLUMN collab.live_tasks.todo_checked_count IS 'number of completed checklist items';
COMMENT ON COLUMN collab.live_tasks.file_count IS 'number of attachments';
COMMENT ON COLUMN collab.live_tasks.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.live_tasks.valid_from IS 'start of the run that first saw this version';

CREATE VIEW collab.live_users AS
 SELECT uid,
    name,
    display_name,
    avatar,
    description,
    status,
    online,
    extra,
    valid_from
   FROM collab.users
  WHERE (deleted_at IS NULL);

COMMENT ON VIEW collab.live_users IS 'Rows of users that exist: deleted_at is null';
COMMENT ON COLUMN collab.live_users.uid IS 'user id';
COMMENT ON COLUMN collab.live_users.name IS 'user name';
COMMENT ON COLUMN collab.live_users.display_name IS 'nickname';
COMMENT ON COLUMN collab.live_users.avatar IS 'avatar file name';
COMMENT ON COLUMN collab.live_users.description IS 'user description (may be empty)';
COMMENT ON COLUMN collab.live_users.status IS 'state of the account: 1 = normal, 2 = invited, 3 = needs e-mail confirmation';
COMMENT ON COLUMN collab.live_users.online IS 'presence when last read: 0 = offline, 1 = online, 2 = busy, 3 = away';
COMMENT ON COLUMN collab.live_users.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.live_users.valid_from IS 'start of the run that first saw this version';

CREATE VIEW collab.live_webhooks AS
 SELECT wid,
    pid,
    uid,
    name,
    url,
    actions,
    is_every,
    type,
    created_at,
    updated_at,
    extra,
    valid_from
   FROM collab.webhooks
  WHERE (deleted_at IS NULL);

COMMENT ON VIEW collab.live_webhooks IS 'Rows of webhooks that exist: deleted_at is null';
COMMENT ON COLUMN collab.live_webhooks.wid IS 'webhook id';
COMMENT ON COLUMN collab.live_webhooks.pid IS 'project id; null for a personal webhook';
COMMENT ON COLUMN collab.live_webhooks.uid IS 'id of the user who set the webhook';
COMMENT ON COLUMN collab.live_webhooks.name IS 'webhook name';
COMMENT ON COLUMN collab.live_webhooks.url IS 'target URL';
COMMENT ON COLUMN collab.live_webhooks.actions IS 'event kinds of a project webhook';
COMMENT ON COLUMN collab.live_webhooks.is_every IS 'whether it is sent every event';
COMMENT ON COLUMN collab.live_webhooks.type IS 'kind: 0 = project webhook, 1 = personal webhook';
COMMENT ON COLUMN collab.live_webhooks.created_at IS 'creation time';
COMMENT ON COLUMN collab.live_webhooks.updated_at IS 'update time';
COMMENT ON COLUMN collab.live_webhooks.extra IS 'fields the service sent and no column holds; null when there are none';
COMMENT ON COLUMN collab.live_webhooks.valid_from IS 'start of the run that first saw this version';

CREATE TABLE collab.losses (
    run_id text NOT NULL COLLATE pg_catalog."C",
    seq bigint NOT NULL,
    pid text COLLATE pg_catalog."C",
    stream text NOT NULL,
    record_key text NOT NULL,
    field text NOT NULL,
    kind text NOT NULL,
    original text
);

COMMENT ON TABLE collab.losses IS 'Values that could not be taken exactly as they were sent';
COMMENT ON COLUMN collab.losses.run_id IS 'run id';
COMMENT ON COLUMN collab.losses.seq IS 'number within the run';
COMMENT ON COLUMN collab.losses.pid IS 'project id; null for what belongs to no project';
COMMENT ON COLUMN collab.losses.stream IS 'stream that was read';
COMMENT ON COLUMN collab.losses.record_key IS 'the record''s key, its parts joined by a space; * stands for every record of the scope; original is then their number';
COMMENT ON COLUMN collab.losses.field IS 'path inside the record; empty for the record itself';
COMMENT ON COLUMN collab.losses.kind IS 'coerced (read as the type it should have had; a time in another form), rounded (a number with more digits than the column holds), left_out (not in the record: the stored value is kept, else null or an empty list), missing (sent as null: null, or an empty list), null_list (null in place of a list of records or comments: an empty list that deletes nothing), unreadable (null), unkeyed (an element without a readable key: not stored), duplicate (one is kept), repeated_field (a field that one object has twice: the last value is kept), misplaced (kept in the project it was read from), invalid_utf8, nul_character or lone_surrogate (replaced by U+FFFD), too_long (an id of more than 512 bytes: its beginning and a hash are kept), unaskable (an id that no request can name: what it names is not read), cut (a list with fewer elements than the record states: stored ones are kept), unlisted (a page whose parent is not in the list of pages), invalid_timestamp or out_of_range (null)';
COMMENT ON COLUMN collab.losses.original IS 'what was sent, as JSON text; null where nothing was';

CREATE VIEW collab.member_workload AS
 SELECT workload.pid,
    project.name AS project_name,
    workload.uid,
    member.name AS user_name,
    workload.open,
    workload.overdue,
    workload.due_in_7_days,
    workload.completed_in_30_days,
    COALESCE(project.archived, false) AS project_is_archived
   FROM ((( SELECT assigned.pid,
            assigned.uid,
            count(*) FILTER (WHERE assigned.is_open) AS open,
            count(*) FILTER (WHERE (assigned.is_open AND (assigned.due_at < now()))) AS overdue,
            count(*) FILTER (WHERE (assigned.is_open AND (assigned.due_at >= now()) AND (assigned.due_at < (now() + '168:00:00'::interval)))) AS due_in_7_days,
            count(*) FILTER (WHERE assigned.is_newly_completed) AS completed_in_30_days
           FROM ( SELECT known.pid,
                    unnest(array_agg(known.uid) FILTER (WHERE (known.uid IS NOT NULL))) AS uid,
                    bool_or(known.is_open) AS is_open,
                    max(known.due_at) AS due_at,
                    (bool_or(known.is_completed) AND ((max(known.completed_at) >= (now() - '720:00:00'::interval)) AND (max(known.completed_at) <= now()))) AS is_newly_completed
                   FROM ( SELECT tasks.pid,
                            tasks.tid,
                            ((tasks.completed IS NOT TRUE) AND (tasks.archived IS NOT TRUE)) AS is_open,
                            (tasks.completed IS TRUE) AS is_completed,
                            tasks.due_at,
                            tasks.completed_at,
                            NULL::text AS uid
                           FROM collab.tasks
                          WHERE (tasks.deleted_at IS NULL)
                        UNION ALL
                         SELECT task_completions.pid,
                            task_completions.tid,
                            NULL::boolean,
                            NULL::boolean,
                            NULL::timestamp with time zone,
                            task_completions.completed_at,
                            NULL::text
                           FROM collab.task_completions
                        UNION ALL
                         SELECT task_members.pid,
                            task_members.tid,
                            NULL::boolean,
                            NULL::boolean,
                            NULL::timestamp with time zone,
                            NULL::timestamp with time zone,
                            task_members.uid
                           FROM collab.task_members
                          WHERE (task_members.deleted_at IS NULL)) known
                  GROUP BY known.pid, known.tid) assigned
          WHERE (assigned.is_open OR assigned.is_newly_completed)
          GROUP BY assigned.pid, assigned.uid) workload
     LEFT JOIN collab.projects project ON ((project.pid = workload.pid)))
     LEFT JOIN collab.users member ON ((member.uid = workload.uid)));

COMMENT ON VIEW collab.member_workload IS 'Tasks assigned to each user in each project, relative to now(): live tasks, as the last run saw them; a task with several members counts for each. Who has none that is open or newly completed is not listed';
COMMENT ON COLUMN collab.member_workload.pid IS 'project id';
COMMENT ON COLUMN collab.member_workload.project_name IS 'project name';
COMMENT ON COLUMN collab.member_workload.uid IS 'user id';
COMMENT ON COLUMN collab.member_workload.user_name IS 'user name';
COMMENT ON COLUMN collab.member_workload.open IS 'tasks neither completed nor archived';
COMMENT ON COLUMN collab.member_workload.overdue IS 'those of open whose due date has passed';
COMMENT ON COLUMN collab.member_workload.due_in_7_days IS 'those of open that are due from now on within 7 days of 24 hours';
COMMENT ON COLUMN collab.member_workload.completed_in_30_days IS 'completed tasks, archived ones too, whose last completion was within the last 30 days of 24 hours';
COMMENT ON COLUMN collab.member_workload.project_is_archived IS 'whether the project is archived';

CREATE VIEW collab.overdue_tasks AS
 SELECT task.pid,
    project.name AS project_name,
    task.tid,
    task.name,
    task.entry_id,
    entry.name AS entry_name,
    task.due_at,
    (((now() AT TIME ZONE 'UTC'::text))::date - ((task.due_at AT TIME ZONE 'UTC'::text))::date) AS days_overdue,
    ARRAY( SELECT COALESCE(users.name, member.uid) AS "coalesce"
           FROM (collab.task_members member
             LEFT JOIN collab.users ON ((users.uid = member.uid)))
          WHERE ((member.pid = task.pid) AND (member.tid = task.tid) AND (member.deleted_at IS NULL))
          ORDER BY (COALESCE(users.name, member.uid) COLLATE "C"), member.uid) AS members,
    COALESCE(project.archived, false) AS project_is_archived
   FROM ((collab.tasks task
     LEFT JOIN collab.projects project ON ((project.pid = task.pid)))
     LEFT JOIN collab.entries entry ON (((entry.pid = task.pid) AND (entry.entry_id = task.entry_id))))
  WHERE ((task.deleted_at IS NULL) AND (task.completed IS NOT TRUE) AND (task.archived IS NOT TRUE) AND (task.due_at < now()));

COMMENT ON VIEW collab.overdue_tasks IS 'Live tasks, neither completed nor archived, whose due date is before now()';
COMMENT ON COLUMN collab.overdue_tasks.pid IS 'project id';
COMMENT ON COLUMN collab.overdue_tasks.project_name IS 'project name';
COMMENT ON COLUMN collab.overdue_tasks.tid IS 'task id';
COMMENT ON COLUMN collab.overdue_tasks.name IS 'task name';
COMMENT ON COLUMN collab.overdue_tasks.entry_id IS 'task group id; null when in none';
COMMENT ON COLUMN collab.overdue_tasks.entry_name IS 'task group name';
COMMENT ON COLUMN collab.overdue_tasks.due_at IS 'due date';
COMMENT ON COLUMN collab.overdue_tasks.days_overdue IS 'UTC days from the due day to today: 0 when it was due earlier today, 1 when it was due yesterday';
COMMENT ON COLUMN collab.overdue_tasks.members IS 'names of the users it is assigned to, in order; the id of one whose name is not known';
COMMENT ON COLUMN collab.overdue_tasks.project_is_archived IS 'whether the project is archived';

CREATE VIEW collab.task_creations AS
 SELECT known.pid,
    known.tid,
    known.created_at,
    project.name AS project_name
   FROM (( SELECT version.pid,
            version.tid,
            version.created_at,
            row_number() OVER (PARTITION BY version.tid, version.created_at ORDER BY version.valid_from, version.pid) AS number
           FROM ( SELECT tasks.pid,
                    tasks.tid,
                    tasks.created_at,
                    tasks.valid_from
                   FROM collab.tasks
                UNION ALL
                 SELECT past.pid,
                    past.tid,
                    task.created_at,
                    past.valid_from
                   FROM (collab_history.tasks past
                     JOIN collab.tasks task ON (((task.pid = past.pid) AND (task.tid = past.tid))))) version
          WHERE (version.created_at IS NOT NULL)) known
     LEFT JOIN collab.projects project ON ((project.pid = known.pid)))
  WHERE (known.number = 1);

COMMENT ON VIEW collab.task_creations IS 'Each task once, with its creation: in the project in which a run first saw it, wherever it was moved since; deleted tasks too';
COMMENT ON COLUMN collab.task_creations.pid IS 'project id';
COMMENT ON COLUMN collab.task_creations.tid IS 'task id';
COMMENT ON COLUMN collab.task_creations.created_at IS 'creation time';
COMMENT ON COLUMN collab.task_creations.project_name IS 'project name';

CREATE VIEW collab.project_activity AS
 SELECT activity.pid,
    activity.day,
    activity.tasks_created,
    activity.tasks_completed,
    activity.comments,
    activity.pages_created,
    activity.pages_updated,
    activity.posts_created,
    activity.posts_updated,
    activity.files,
    activity.events,
    project.name AS project_name
   FROM (( SELECT activity_1.pid,
            ((activity_1.happened_at AT TIME ZONE 'UTC'::text))::date AS day,
            count(*) FILTER (WHERE (activity_1.kind = 'task created'::text)) AS tasks_created,
            count(*) FILTER (WHERE (activity_1.kind = 'task completed'::text)) AS tasks_completed,
            count(*) FILTER (WHERE (activity_1.kind = 'comment'::text)) AS comments,
            count(*) FILTER (WHERE (activity_1.kind = 'page created'::text)) AS pages_created,
            count(DISTINCT activity_1.id) FILTER (WHERE (activity_1.kind = 'page updated'::text)) AS pages_updated,
            count(*) FILTER (WHERE (activity_1.kind = 'post created'::text)) AS posts_created,
            count(DISTINCT activity_1.id) FILTER (WHERE (activity_1.kind = 'post updated'::text)) AS posts_updated,
            count(*) FILTER (WHERE (activity_1.kind = 'file'::text)) AS files,
            count(*) FILTER (WHERE (activity_1.kind = 'event'::text)) AS events
           FROM ( SELECT 'task created'::text AS kind,
                    task_creations.pid,
                    task_creations.tid AS id,
                    task_creations.created_at AS happened_at
                   FROM collab.task_creations
                UNION ALL
                 SELECT 'task completed'::text,
                    task_completions.pid,
                    task_completions.tid,
                    task_completions.counted_at
                   FROM collab.task_completions
                UNION ALL
                 SELECT 'comment'::text,
                    post_comments.pid,
                    post_comments.cid,
                    post_comments.created_at
                   FROM collab.post_comments
                UNION ALL
                 SELECT 'comment'::text,
                    file_comments.pid,
                    file_comments.cid,
                    file_comments.created_at
                   FROM collab.file_comments
                UNION ALL
                 SELECT 'page created'::text,
                    pages.pid,
                    pages.page_id,
                    pages.created_at
                   FROM collab.pages
                UNION ALL
                 SELECT 'page updated'::text,
                    page_versions.pid,
                    page_versions.page_id,
                    page_versions.updated_at
                   FROM collab.page_versions
                  WHERE (page_versions.updated_at > page_versions.created_at)
                UNION ALL
                 SELECT 'post created'::text,
                    posts.pid,
                    posts.post_id,
                    posts.created_at
                   FROM collab.posts
                UNION ALL
                 SELECT 'post updated'::text,
                    post_versions.pid,
                    post_versions.post_id,
                    post_versions.updated_at
                   FROM collab.post_versions
                  WHERE (post_versions.updated_at > post_versions.created_at)
                UNION ALL
                 SELECT 'file'::text,
                    files.pid,
                    files.fid,
                    files.created_at
                   FROM collab.files
                  WHERE (files.type IS DISTINCT FROM 1)
                UNION ALL
                 SELECT 'event'::text,
                    events.pid,
                    events.event_id,
                    events.starts_at
                   FROM collab.events
                  WHERE ((events.deleted_at IS NULL) OR (events.starts_at < events.deleted_at))) activity_1
          WHERE (activity_1.happened_at <= now())
          GROUP BY activity_1.pid, (((activity_1.happened_at AT TIME ZONE 'UTC'::text))::date)) activity
     LEFT JOIN collab.projects project ON ((project.pid = activity.pid)));

COMMENT ON VIEW collab.project_activity IS 'What happened in each project on each UTC day until now(), by the records'' own times and also before the first run; days without any are not listed. Records deleted since count too';
COMMENT ON COLUMN collab.project_activity.pid IS 'project id';
COMMENT ON COLUMN collab.project_activity.day IS 'UTC day';
COMMENT ON COLUMN collab.project_activity.tasks_created IS 'tasks created, each in the project in which it was first seen';
COMMENT ON COLUMN collab.project_activity.tasks_completed IS 'completions, by task_completions.counted_at';
COMMENT ON COLUMN collab.project_activity.comments IS 'comments written on posts and files (the service does not list those of tasks and events)';
COMMENT ON COLUMN collab.project_activity.pages_created IS 'pages created';
COMMENT ON COLUMN collab.project_activity.pages_updated IS 'pages updated after they were created, each once; of several updates between two runs the last is known';
COMMENT ON COLUMN collab.project_activity.posts_created IS 'posts created, of those that are known';
COMMENT ON COLUMN collab.project_activity.posts_updated IS 'posts updated after they were created, each once; of several updates between two runs the last is known';
COMMENT ON COLUMN collab.project_activity.files IS 'files uploaded, of those that are known; folders do not count';
COMMENT ON COLUMN collab.project_activity.events IS 'starts of events as the service lists them: a recurring event counts on those, not on each recurrence; one that was found cancelled or moved before it started does not count';
COMMENT ON COLUMN collab.project_activity.project_name IS 'project name';

CREATE TABLE collab.schema_version (
    version bigint NOT NULL,
    name text,
    md5 text,
    run_at timestamp with time zone
);

COMMENT ON TABLE collab.schema_version IS 'Migrations of this schema that were applied';
COMMENT ON COLUMN collab.schema_version.version IS 'number of the migration; the highest one is the version of the schema';
COMMENT ON COLUMN collab.schema_version.name IS 'name of the migration';
COMMENT ON COLUMN collab.schema_version.md5 IS 'checksum of its file';
COMMENT ON COLUMN collab.schema_version.run_at IS 'when it was applied';

CREATE TABLE collab.scopes_to_reread (
    pid text NOT NULL COLLATE pg_catalog."C",
    stream text NOT NULL,
    found_at timestamp with time zone NOT NULL
);

COMMENT ON TABLE collab.scopes_to_reread IS 'Scopes of which a comparison with the service found differences; the next snapshot that reads one completely compares every value of it, repairs what differs, and removes its row here';
COMMENT ON COLUMN collab.scopes_to_reread.pid IS 'project id; '''' for personal webhooks';
COMMENT ON COLUMN collab.scopes_to_reread.stream IS 'stream';
COMMENT ON COLUMN collab.scopes_to_reread.found_at IS 'when the difference was found last';

CREATE VIEW collab.task_status_daily AS
 SELECT pid,
    day,
    open,
    completed,
    archived,
    overdue,
    created,
    completed_that_day,
    project_name
   FROM collab.fct_task_daily
  WHERE (NOT is_backfilled);

COMMENT ON VIEW collab.task_status_daily IS 'Tasks of each project at the end of each UTC day, from history: rows of fct_task_daily that are not back-filled. Every task that exists is open, completed or archived. Deleted ones count until the day before they were found gone';
COMMENT ON COLUMN collab.task_status_daily.pid IS 'project id';
COMMENT ON COLUMN collab.task_status_daily.day IS 'UTC day';
COMMENT ON COLUMN collab.task_status_daily.open IS 'tasks neither completed nor archived at the end of the day';
COMMENT ON COLUMN collab.task_status_daily.completed IS 'tasks completed and not archived at the end of the day';
COMMENT ON COLUMN collab.task_status_daily.archived IS 'archived tasks at the end of the day, completed or not; null while the archived tasks were not read';
COMMENT ON COLUMN collab.task_status_daily.overdue IS 'those of open whose due date is before the end of the day';
COMMENT ON COLUMN collab.task_status_daily.created IS 'tasks whose creation time is on that day, those deleted since too, each in the project in which it was first seen';
COMMENT ON COLUMN collab.task_status_daily.completed_that_day IS 'completions on that day, by task_completions.counted_at; a task that was reopened may count again on another day';
COMMENT ON COLUMN collab.task_status_daily.project_name IS 'project name';

CREATE TABLE collab.unread_items (
    run_id text NOT NULL COLLATE pg_catalog."C",
    pid text NOT NULL COLLATE pg_catalog."C",
    stream text NOT NULL,
    item_id text NOT NULL COLLATE pg_catalog."C",
    source text NOT NULL,
    error_code text NOT NULL,
    error text NOT NULL,
    first_failed_at timestamp with time zone NOT NULL
);

COMMENT ON TABLE collab.unread_items IS 'Items of a scope that a run could not read while it stored the others; rows stored before are kept';
COMMENT ON COLUMN collab.unread_items.run_id IS 'run id';
COMMENT ON COLUMN collab.unread_items.pid IS 'project id; '''' for what belongs to no project';
COMMENT ON COLUMN collab.unread_items.stream IS 'stream that was read';
COMMENT ON COLUMN collab.unread_items.item_id IS 'post or file id; followed by /comments if the item was read but its comments were not';
COMMENT ON COLUMN collab.unread_items.source IS 'where the id comes from: flag, file, page, task, event, comment, post, folder, known (an earlier run) or stored';
COMMENT ON COLUMN collab.unread_items.error_code IS 'error code of the service, or a word in capitals';
COMMENT ON COLUMN collab.unread_items.error IS 'why it could not be read';
COMMENT ON COLUMN collab.unread_items.first_failed_at IS 'start of the first of the consecutive runs that could not read it';

CREATE TABLE collab.user_places (
    uid text NOT NULL COLLATE pg_catalog."C",
    pid text NOT NULL COLLATE pg_catalog."C",
    place text NOT NULL
);

COMMENT ON TABLE collab.user_places IS 'A place that showed the stored version of each user when it was last read; without a row, none is known';
COMMENT ON COLUMN collab.user_places.uid IS 'user id';
COMMENT ON COLUMN collab.user_places.pid IS 'project id';
COMMENT ON COLUMN collab.user_places.place IS 'table whose records showed the user: projects, tasks, pages, posts, files or events';

CREATE TABLE collab.webhook_lists (
    wid text NOT NULL COLLATE pg_catalog."C",
    pid text NOT NULL COLLATE pg_catalog."C",
    record jsonb NOT NULL
);

COMMENT ON TABLE collab.webhook_lists IS 'Which lists of webhooks hold each webhook, as they were last read; webhooks has it once, as the first project that lists it does';
COMMENT ON COLUMN collab.webhook_lists.wid IS 'webhook id';
COMMENT ON COLUMN collab.webhook_lists.pid IS 'project whose list it is; '''' for the personal list';
COMMENT ON COLUMN collab.webhook_lists.record IS 'the columns of webhooks, as that list has them';

ALTER TABLE ONLY collab.comment_files
    ADD CONSTRAINT comment_files_pkey PRIMARY KEY (pid, parent_kind, parent_id, cid, fid);

ALTER TABLE ONLY collab.entries
    ADD CONSTRAINT entries_pkey PRIMARY KEY (pid, entry_id);

ALTER TABLE ONLY collab.event_attendees
    ADD CONSTRAINT event_attendees_pkey PRIMARY KEY (pid, event_id, starts_at, uid);

ALTER TABLE ONLY collab.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (pid, event_id, starts_at);

ALTER TABLE ONLY collab.file_comments
    ADD CONSTRAINT file_comments_pkey PRIMARY KEY (pid, fid, cid);

ALTER TABLE ONLY collab.file_watchers
    ADD CONSTRAINT file_watchers_pkey PRIMARY KEY (pid, fid, uid);

ALTER TABLE ONLY collab.files
    ADD CONSTRAINT files_pkey PRIMARY KEY (pid, fid);

ALTER TABLE ONLY collab.known_files
    ADD CONSTRAINT known_files_pkey PRIMARY KEY (pid, fid);

ALTER TABLE ONLY collab.known_posts
    ADD CONSTRAINT known_posts_pkey PRIMARY KEY (pid, post_id);

ALTER TABLE ONLY collab.list_readings
    ADD CONSTRAINT list_readings_pkey PRIMARY KEY (pid, stream);

ALTER TABLE ONLY collab.losses
    ADD CONSTRAINT losses_pkey PRIMARY KEY (run_id, seq);

ALTER TABLE ONLY collab.page_watchers
    ADD CONSTRAINT page_watchers_pkey PRIMARY KEY (pid, page_id, uid);

ALTER TABLE ONLY collab.pages
    ADD CONSTRAINT pages_pkey PRIMARY KEY (pid, page_id);

ALTER TABLE ONLY collab.post_comments
    ADD CONSTRAINT post_comments_pkey PRIMARY KEY (pid, post_id, cid);

ALTER TABLE ONLY collab.post_watchers
    ADD CONSTRAINT post_watchers_pkey PRIMARY KEY (pid, post_id, uid);

ALTER TABLE ONLY collab.posts
    ADD CONSTRAINT posts_pkey PRIMARY KEY (pid, post_id);

ALTER TABLE ONLY collab.project_labels
    ADD CONSTRAINT project_labels_pkey PRIMARY KEY (pid, name);

ALTER TABLE ONLY collab.projects
    ADD CONSTRAINT projects_pkey PRIMARY KEY (pid);

ALTER TABLE ONLY collab.run_scopes
    ADD CONSTRAINT run_scopes_pkey PRIMARY KEY (run_id, pid, stream);

ALTER TABLE ONLY collab.runs
    ADD CONSTRAINT runs_pkey PRIMARY KEY (run_id);

ALTER TABLE ONLY collab.schema_version
    ADD CONSTRAINT schema_version_pkey PRIMARY KEY (version);

ALTER TABLE ONLY collab.scopes_to_reread
    ADD CONSTRAINT scopes_to_reread_pkey PRIMARY KEY (pid, stream);

ALTER TABLE ONLY collab.task_labels
    ADD CONSTRAINT task_labels_pkey PRIMARY KEY (pid, tid, name);

ALTER TABLE ONLY collab.task_members
    ADD CONSTRAINT task_members_pkey PRIMARY KEY (pid, tid, uid);

ALTER TABLE ONLY collab.task_todos
    ADD CONSTRAINT task_todos_pkey PRIMARY KEY (pid, tid, todo_id);

ALTER TABLE ONLY collab.task_watchers
    ADD CONSTRAINT task_watchers_pkey PRIMARY KEY (pid, tid, uid);

ALTER TABLE ONLY collab.tasks
    ADD CONSTRAINT tasks_pkey PRIMARY KEY (pid, tid);

ALTER TABLE ONLY collab.unread_items
    ADD CONSTRAINT unread_items_pkey PRIMARY KEY (run_id, pid, stream, item_id);

ALTER TABLE ONLY collab.user_places
    ADD CONSTRAINT user_places_pkey PRIMARY KEY (uid);

ALTER TABLE ONLY collab.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (uid);

ALTER TABLE ONLY collab.webhook_lists
    ADD CONSTRAINT webhook_lists_pkey PRIMARY KEY (wid, pid);

ALTER TABLE ONLY collab.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (wid);

ALTER TABLE ONLY collab_history.comment_files
    ADD CONSTRAINT comment_files_pkey PRIMARY KEY (pid, parent_kind, parent_id, cid, fid, valid_from);

ALTER TABLE ONLY collab_history.entries
    ADD CONSTRAINT entries_pkey PRIMARY KEY (pid, entry_id, valid_from);

ALTER TABLE ONLY collab_history.event_attendees
    ADD CONSTRAINT event_attendees_pkey PRIMARY KEY (pid, event_id, starts_at, uid, valid_from);

ALTER TABLE ONLY collab_history.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (pid, event_id, starts_at, valid_from);

ALTER TABLE ONLY collab_history.file_comments
    ADD CONSTRAINT file_comments_pkey PRIMARY KEY (pid, fid, cid, valid_from);

ALTER TABLE ONLY collab_history.file_watchers
    ADD CONSTRAINT file_watchers_pkey PRIMARY KEY (pid, fid, uid, valid_from);

ALTER TABLE ONLY collab_history.files
    ADD CONSTRAINT files_pkey PRIMARY KEY (pid, fid, valid_from);

ALTER TABLE ONLY collab_history.page_watchers
    ADD CONSTRAINT page_watchers_pkey PRIMARY KEY (pid, page_id, uid, valid_from);

ALTER TABLE ONLY collab_history.pages
    ADD CONSTRAINT pages_pkey PRIMARY KEY (pid, page_id, valid_from);

ALTER TABLE ONLY collab_history.post_comments
    ADD CONSTRAINT post_comments_pkey PRIMARY KEY (pid, post_id, cid, valid_from);

ALTER TABLE ONLY collab_history.post_watchers
    ADD CONSTRAINT post_watchers_pkey PRIMARY KEY (pid, post_id, uid, valid_from);

ALTER TABLE ONLY collab_history.posts
    ADD CONSTRAINT posts_pkey PRIMARY KEY (pid, post_id, valid_from);

ALTER TABLE ONLY collab_history.project_labels
    ADD CONSTRAINT project_labels_pkey PRIMARY KEY (pid, name, valid_from);

ALTER TABLE ONLY collab_history.projects
    ADD CONSTRAINT projects_pkey PRIMARY KEY (pid, valid_from);

ALTER TABLE ONLY collab_history.task_labels
    ADD CONSTRAINT task_labels_pkey PRIMARY KEY (pid, tid, name, valid_from);

ALTER TABLE ONLY collab_history.task_members
    ADD CONSTRAINT task_members_pkey PRIMARY KEY (pid, tid, uid, valid_from);

ALTER TABLE ONLY collab_history.task_todos
    ADD CONSTRAINT task_todos_pkey PRIMARY KEY (pid, tid, todo_id, valid_from);

ALTER TABLE ONLY collab_history.task_watchers
    ADD CONSTRAINT task_watchers_pkey PRIMARY KEY (pid, tid, uid, valid_from);

ALTER TABLE ONLY collab_history.tasks
    ADD CONSTRAINT tasks_pkey PRIMARY KEY (pid, tid, valid_from);

ALTER TABLE ONLY collab_history.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (uid, valid_from);

ALTER TABLE ONLY collab_history.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (wid, valid_from);

CREATE INDEX comment_files_valid_from ON collab.comment_files USING btree (valid_from) WHERE (deleted_at IS NULL);

CREATE INDEX entries_valid_from ON collab.entries USING btree (valid_from) WHERE (deleted_at IS NULL);

CREATE INDEX event_attendees_valid_from ON collab.event_attendees USING btree (valid_from) WHERE (deleted_at IS NULL);

CREATE INDEX events_valid_from ON collab.events USING btree (valid_from) WHERE (deleted_at IS NULL);

CREATE INDEX file_comments_valid_from ON collab.file_comments USING btree (valid_from) WHERE (deleted_at IS NULL);

CREATE INDEX file_watchers_valid_from ON collab.file_watchers USING btree (valid_from) WHERE (deleted_at IS NULL);

CREATE INDEX files_valid_from ON collab.files USING btree (valid_from) WHERE (deleted_at IS NULL);

CREATE INDEX page_watchers_valid_from ON collab.page_watchers USING btree (valid_from) WHERE (deleted_at IS NULL);

CREATE INDEX pages_updated_at ON collab.pages USING btree (updated_at) WHERE (deleted_at IS NULL);

CREATE INDEX pages_valid_from ON collab.pages USING btree (valid_from) WHERE (deleted_at IS NULL);

CREATE INDEX post_comments_valid_from ON collab.post_comments USING btree (valid_from) WHERE (deleted_at IS NULL);

CREATE INDEX post_watchers_valid_from ON collab.post_watchers USING btree (valid_from) WHERE (deleted_at IS NULL);

CREATE INDEX posts_valid_from ON collab.posts USING btree (valid_from) WHERE (deleted_at IS NULL);

CREATE INDEX project_labels_valid_from ON collab.project_labels USING btree (valid_from) WHERE (deleted_at IS NULL);

CREATE INDEX projects_valid_from ON collab.projects USING btree (valid_from) WHERE (deleted_at IS NULL);

CREATE INDEX task_labels_valid_from ON collab.task_labels USING btree (valid_from) WHERE (deleted_at IS NULL);

CREATE INDEX task_members_uid ON collab.task_members USING btree (uid) WHERE (deleted_at IS NULL);

CREATE INDEX task_members_valid_from ON collab.task_members USING btree (valid_from) WHERE (deleted_at IS NULL);

CREATE INDEX task_todos_valid_from ON collab.task_todos USING btree (valid_from) WHERE (deleted_at IS NULL);

CREATE INDEX task_watchers_valid_from ON collab.task_watchers USING btree (valid_from) WHERE (deleted_at IS NULL);

CREATE INDEX tasks_due_at ON collab.tasks USING btree (due_at) WHERE ((deleted_at IS NULL) AND (completed IS NOT TRUE) AND (archived IS NOT TRUE));

CREATE INDEX tasks_entry_id ON collab.tasks USING btree (pid, entry_id) WHERE ((deleted_at IS NULL) AND (archived IS NOT TRUE));

CREATE INDEX tasks_updated_at ON collab.tasks USING btree (updated_at) WHERE (deleted_at IS NULL);

CREATE INDEX tasks_valid_from ON collab.tasks USING btree (valid_from) WHERE (deleted_at IS NULL);

CREATE INDEX users_valid_from ON collab.users USING btree (valid_from) WHERE (deleted_at IS NULL);

CREATE INDEX webhook_lists_pid ON collab.webhook_lists USING btree (pid);

CREATE INDEX webhooks_pid ON collab.webhooks USING btree (pid);

CREATE INDEX webhooks_valid_from ON collab.webhooks USING btree (valid_from) WHERE (deleted_at IS NULL);

CREATE INDEX comment_files_valid_from ON collab_history.comment_files USING btree (valid_from);

CREATE INDEX comment_files_valid_to ON collab_history.comment_files USING btree (valid_to);

CREATE INDEX entries_valid_from ON collab_history.entries USING btree (valid_from);

CREATE INDEX entries_valid_to ON collab_history.entries USING btree (valid_to);

CREATE INDEX event_attendees_valid_from ON collab_history.event_attendees USING btree (valid_from);

CREATE INDEX event_attendees_valid_to ON collab_history.event_attendees USING btree (valid_to);

CREATE INDEX events_valid_from ON collab_history.events USING btree (valid_from);

CREATE INDEX events_valid_to ON collab_history.events USING btree (valid_to);

CREATE INDEX file_comments_valid_from ON collab_history.file_comments USING btree (valid_from);

CREATE INDEX file_comments_valid_to ON collab_history.file_comments USING btree (valid_to);

CREATE INDEX file_watchers_valid_from ON collab_history.file_watchers USING btree (valid_from);

CREATE INDEX file_watchers_valid_to ON collab_history.file_watchers USING btree (valid_to);

CREATE INDEX files_valid_from ON collab_history.files USING btree (valid_from);

CREATE INDEX files_valid_to ON collab_history.files USING btree (valid_to);

CREATE INDEX page_watchers_valid_from ON collab_history.page_watchers USING btree (valid_from);

CREATE INDEX page_watchers_valid_to ON collab_history.page_watchers USING btree (valid_to);

CREATE INDEX pages_valid_from ON collab_history.pages USING btree (valid_from);

CREATE INDEX pages_valid_to ON collab_history.pages USING btree (valid_to);

CREATE INDEX post_comments_valid_from ON collab_history.post_comments USING btree (valid_from);

CREATE INDEX post_comments_valid_to ON collab_history.post_comments USING btree (valid_to);

CREATE INDEX post_watchers_valid_from ON collab_history.post_watchers USING btree (valid_from);

CREATE INDEX post_watchers_valid_to ON collab_history.post_watchers USING btree (valid_to);

CREATE INDEX posts_valid_from ON collab_history.posts USING btree (valid_from);

CREATE INDEX posts_valid_to ON collab_history.posts USING btree (valid_to);

CREATE INDEX project_labels_valid_from ON collab_history.project_labels USING btree (valid_from);

CREATE INDEX project_labels_valid_to ON collab_history.project_labels USING btree (valid_to);

CREATE INDEX projects_valid_from ON collab_history.projects USING btree (valid_from);

CREATE INDEX projects_valid_to ON collab_history.projects USING btree (valid_to);

CREATE INDEX task_labels_valid_from ON collab_history.task_labels USING btree (valid_from);

CREATE INDEX task_labels_valid_to ON collab_history.task_labels USING btree (valid_to);

CREATE INDEX task_members_valid_from ON collab_history.task_members USING btree (valid_from);

CREATE INDEX task_members_valid_to ON collab_history.task_members USING btree (valid_to);

CREATE INDEX task_todos_valid_from ON collab_history.task_todos USING btree (valid_from);

CREATE INDEX task_todos_valid_to ON collab_history.task_todos USING btree (valid_to);

CREATE INDEX task_watchers_valid_from ON collab_history.task_watchers USING btree (valid_from);

CREATE INDEX task_watchers_valid_to ON collab_history.task_watchers USING btree (valid_to);

CREATE INDEX tasks_valid_from ON collab_history.tasks USING btree (valid_from);

CREATE INDEX tasks_valid_to ON collab_history.tasks USING btree (valid_to);

CREATE INDEX users_valid_from ON collab_history.users USING btree (valid_from);

CREATE INDEX users_valid_to ON collab_history.users USING btree (valid_to);

CREATE INDEX webhooks_valid_from ON collab_history.webhooks USING btree (valid_from);

CREATE INDEX webhooks_valid_to ON collab_history.webhooks USING btree (valid_to);
