--
-- PostgreSQL database dump
--


-- Dumped from database version 18.6
-- Dumped by pg_dump version 18.3

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: collab; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA collab;


--
-- Name: collab_history; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA collab_history;


--
-- Name: SCHEMA collab_history; Type: COMMENT; Schema: -; Owner: -
--

COMMENT ON SCHEMA collab_history IS 'superseded and deleted versions of the rows of collab';


--
-- Name: comment_files_as_of(timestamp with time zone); Type: FUNCTION; Schema: collab; Owner: -
--

CREATE FUNCTION collab.comment_files_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, cid text, fid text, name text, description text, size_bytes bigint, path text, folder_id text, extra jsonb, valid_from timestamp with time zone, parent_kind text, parent_id text, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, cid, fid, name, description, size_bytes, path, folder_id, extra, valid_from, parent_kind, parent_id, NULL::timestamptz FROM collab.comment_files WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, cid, fid, name, description, size_bytes, path, folder_id, extra, valid_from, parent_kind, parent_id, NULL::timestamptz FROM collab_history.comment_files WHERE valid_from <= $1 AND $1 < valid_to$_$;


--
-- Name: FUNCTION comment_files_as_of(moment timestamp with time zone); Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON FUNCTION collab.comment_files_as_of(moment timestamp with time zone) IS 'Rows of comment_files as they stood at the end of the last run that began at or before that time';


--
-- Name: entries_as_of(timestamp with time zone); Type: FUNCTION; Schema: collab; Owner: -
--

CREATE FUNCTION collab.entries_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, entry_id text, name text, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, entry_id, name, extra, valid_from, NULL::timestamptz FROM collab.entries WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, entry_id, name, extra, valid_from, NULL::timestamptz FROM collab_history.entries WHERE valid_from <= $1 AND $1 < valid_to$_$;


--
-- Name: FUNCTION entries_as_of(moment timestamp with time zone); Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON FUNCTION collab.entries_as_of(moment timestamp with time zone) IS 'Rows of entries as they stood at the end of the last run that began at or before that time';


--
-- Name: event_attendees_as_of(timestamp with time zone); Type: FUNCTION; Schema: collab; Owner: -
--

CREATE FUNCTION collab.event_attendees_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, event_id text, starts_at timestamp with time zone, uid text, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, event_id, starts_at, uid, extra, valid_from, NULL::timestamptz FROM collab.event_attendees WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, event_id, starts_at, uid, extra, valid_from, NULL::timestamptz FROM collab_history.event_attendees WHERE valid_from <= $1 AND $1 < valid_to$_$;


--
-- Name: FUNCTION event_attendees_as_of(moment timestamp with time zone); Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON FUNCTION collab.event_attendees_as_of(moment timestamp with time zone) IS 'Rows of event_attendees as they stood at the end of the last run that began at or before that time';


--
-- Name: event_calendar(timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: collab; Owner: -
--

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


--
-- Name: FUNCTION event_calendar(range_start timestamp with time zone, range_end timestamp with time zone); Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON FUNCTION collab.event_calendar(range_start timestamp with time zone, range_end timestamp with time zone) IS 'Occurrences of live events that touch the range, its end excluded, recurring ones expanded in UTC; both ends must be finite. One that begins before the range and lasts into it belongs to it. Recurrence on a day that a month or year does not have is left out there. Columns as in the view event_calendar';


--
-- Name: events_as_of(timestamp with time zone); Type: FUNCTION; Schema: collab; Owner: -
--

CREATE FUNCTION collab.events_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, event_id text, starts_at timestamp with time zone, ends_at timestamp with time zone, name text, summary text, location text, email text, description text, recurrence smallint, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, event_id, starts_at, ends_at, name, summary, location, email, description, recurrence, extra, valid_from, NULL::timestamptz FROM collab.events WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, event_id, starts_at, ends_at, name, summary, location, email, description, recurrence, extra, valid_from, NULL::timestamptz FROM collab_history.events WHERE valid_from <= $1 AND $1 < valid_to$_$;


--
-- Name: FUNCTION events_as_of(moment timestamp with time zone); Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON FUNCTION collab.events_as_of(moment timestamp with time zone) IS 'Rows of events as they stood at the end of the last run that began at or before that time';


--
-- Name: file_comments_as_of(timestamp with time zone); Type: FUNCTION; Schema: collab; Owner: -
--

CREATE FUNCTION collab.file_comments_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, fid text, cid text, message text, raw_message text, type smallint, format smallint, owner_uid text, created_at timestamp with time zone, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, fid, cid, message, raw_message, type, format, owner_uid, created_at, extra, valid_from, NULL::timestamptz FROM collab.file_comments WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, fid, cid, message, raw_message, type, format, owner_uid, created_at, extra, valid_from, NULL::timestamptz FROM collab_history.file_comments WHERE valid_from <= $1 AND $1 < valid_to$_$;


--
-- Name: FUNCTION file_comments_as_of(moment timestamp with time zone); Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON FUNCTION collab.file_comments_as_of(moment timestamp with time zone) IS 'Rows of file_comments as they stood at the end of the last run that began at or before that time';


--
-- Name: file_watchers_as_of(timestamp with time zone); Type: FUNCTION; Schema: collab; Owner: -
--

CREATE FUNCTION collab.file_watchers_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, fid text, uid text, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, fid, uid, extra, valid_from, NULL::timestamptz FROM collab.file_watchers WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, fid, uid, extra, valid_from, NULL::timestamptz FROM collab_history.file_watchers WHERE valid_from <= $1 AND $1 < valid_to$_$;


--
-- Name: FUNCTION file_watchers_as_of(moment timestamp with time zone); Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON FUNCTION collab.file_watchers_as_of(moment timestamp with time zone) IS 'Rows of file_watchers as they stood at the end of the last run that began at or before that time';


--
-- Name: files_as_of(timestamp with time zone); Type: FUNCTION; Schema: collab; Owner: -
--

CREATE FUNCTION collab.files_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, fid text, name text, description text, size_bytes bigint, path text, folder_id text, type smallint, created_at timestamp with time zone, updated_at timestamp with time zone, owner_uid text, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, fid, name, description, size_bytes, path, folder_id, type, created_at, updated_at, owner_uid, extra, valid_from, NULL::timestamptz FROM collab.files WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, fid, name, description, size_bytes, path, folder_id, type, created_at, updated_at, owner_uid, extra, valid_from, NULL::timestamptz FROM collab_history.files WHERE valid_from <= $1 AND $1 < valid_to$_$;


--
-- Name: FUNCTION files_as_of(moment timestamp with time zone); Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON FUNCTION collab.files_as_of(moment timestamp with time zone) IS 'Rows of files as they stood at the end of the last run that began at or before that time';


--
-- Name: page_watchers_as_of(timestamp with time zone); Type: FUNCTION; Schema: collab; Owner: -
--

CREATE FUNCTION collab.page_watchers_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, page_id text, uid text, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, page_id, uid, extra, valid_from, NULL::timestamptz FROM collab.page_watchers WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, page_id, uid, extra, valid_from, NULL::timestamptz FROM collab_history.page_watchers WHERE valid_from <= $1 AND $1 < valid_to$_$;


--
-- Name: FUNCTION page_watchers_as_of(moment timestamp with time zone); Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON FUNCTION collab.page_watchers_as_of(moment timestamp with time zone) IS 'Rows of page_watchers as they stood at the end of the last run that began at or before that time';


--
-- Name: pages_as_of(timestamp with time zone); Type: FUNCTION; Schema: collab; Owner: -
--

CREATE FUNCTION collab.pages_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, page_id text, parent_id text, name text, summary text, content text, created_at timestamp with time zone, updated_at timestamp with time zone, owner_uid text, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, page_id, parent_id, name, summary, content, created_at, updated_at, owner_uid, extra, valid_from, NULL::timestamptz FROM collab.pages WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, page_id, parent_id, name, summary, content, created_at, updated_at, owner_uid, extra, valid_from, NULL::timestamptz FROM collab_history.pages WHERE valid_from <= $1 AND $1 < valid_to$_$;


--
-- Name: FUNCTION pages_as_of(moment timestamp with time zone); Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON FUNCTION collab.pages_as_of(moment timestamp with time zone) IS 'Rows of pages as they stood at the end of the last run that began at or before that time';


--
-- Name: post_comments_as_of(timestamp with time zone); Type: FUNCTION; Schema: collab; Owner: -
--

CREATE FUNCTION collab.post_comments_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, post_id text, cid text, message text, raw_message text, type smallint, format smallint, owner_uid text, created_at timestamp with time zone, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, post_id, cid, message, raw_message, type, format, owner_uid, created_at, extra, valid_from, NULL::timestamptz FROM collab.post_comments WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, post_id, cid, message, raw_message, type, format, owner_uid, created_at, extra, valid_from, NULL::timestamptz FROM collab_history.post_comments WHERE valid_from <= $1 AND $1 < valid_to$_$;


--
-- Name: FUNCTION post_comments_as_of(moment timestamp with time zone); Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON FUNCTION collab.post_comments_as_of(moment timestamp with time zone) IS 'Rows of post_comments as they stood at the end of the last run that began at or before that time';


--
-- Name: post_watchers_as_of(timestamp with time zone); Type: FUNCTION; Schema: collab; Owner: -
--

CREATE FUNCTION collab.post_watchers_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, post_id text, uid text, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, post_id, uid, extra, valid_from, NULL::timestamptz FROM collab.post_watchers WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, post_id, uid, extra, valid_from, NULL::timestamptz FROM collab_history.post_watchers WHERE valid_from <= $1 AND $1 < valid_to$_$;


--
-- Name: FUNCTION post_watchers_as_of(moment timestamp with time zone); Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON FUNCTION collab.post_watchers_as_of(moment timestamp with time zone) IS 'Rows of post_watchers as they stood at the end of the last run that began at or before that time';


--
-- Name: posts_as_of(timestamp with time zone); Type: FUNCTION; Schema: collab; Owner: -
--

CREATE FUNCTION collab.posts_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, post_id text, name text, summary text, content text, created_at timestamp with time zone, updated_at timestamp with time zone, owner_uid text, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, post_id, name, summary, content, created_at, updated_at, owner_uid, extra, valid_from, NULL::timestamptz FROM collab.posts WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, post_id, name, summary, content, created_at, updated_at, owner_uid, extra, valid_from, NULL::timestamptz FROM collab_history.posts WHERE valid_from <= $1 AND $1 < valid_to$_$;


--
-- Name: FUNCTION posts_as_of(moment timestamp with time zone); Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON FUNCTION collab.posts_as_of(moment timestamp with time zone) IS 'Rows of posts as they stood at the end of the last run that began at or before that time';


--
-- Name: project_labels_as_of(timestamp with time zone); Type: FUNCTION; Schema: collab; Owner: -
--

CREATE FUNCTION collab.project_labels_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, name text, description text, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, name, description, extra, valid_from, NULL::timestamptz FROM collab.project_labels WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, name, description, extra, valid_from, NULL::timestamptz FROM collab_history.project_labels WHERE valid_from <= $1 AND $1 < valid_to$_$;


--
-- Name: FUNCTION project_labels_as_of(moment timestamp with time zone); Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON FUNCTION collab.project_labels_as_of(moment timestamp with time zone) IS 'Rows of project_labels as they stood at the end of the last run that began at or before that time';


--
-- Name: projects_as_of(timestamp with time zone); Type: FUNCTION; Schema: collab; Owner: -
--

CREATE FUNCTION collab.projects_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, name text, description text, archived boolean, pic text, bg text, visibility smallint, team_id text, is_starred boolean, "position" double precision, member_count integer, curr_role smallint, permission smallint, created_by_uid text, extra jsonb, valid_from timestamp with time zone, unlisted_since timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, name, description, archived, pic, bg, visibility, team_id, is_starred, "position", member_count, curr_role, permission, created_by_uid, extra, valid_from, unlisted_since, NULL::timestamptz FROM collab.projects WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, name, description, archived, pic, bg, visibility, team_id, is_starred, "position", member_count, curr_role, permission, created_by_uid, extra, valid_from, unlisted_since, NULL::timestamptz FROM collab_history.projects WHERE valid_from <= $1 AND $1 < valid_to$_$;


--
-- Name: FUNCTION projects_as_of(moment timestamp with time zone); Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON FUNCTION collab.projects_as_of(moment timestamp with time zone) IS 'Rows of projects as they stood at the end of the last run that began at or before that time';


--
-- Name: task_labels_as_of(timestamp with time zone); Type: FUNCTION; Schema: collab; Owner: -
--

CREATE FUNCTION collab.task_labels_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, tid text, name text, description text, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, tid, name, description, extra, valid_from, NULL::timestamptz FROM collab.task_labels WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, tid, name, description, extra, valid_from, NULL::timestamptz FROM collab_history.task_labels WHERE valid_from <= $1 AND $1 < valid_to$_$;


--
-- Name: FUNCTION task_labels_as_of(moment timestamp with time zone); Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON FUNCTION collab.task_labels_as_of(moment timestamp with time zone) IS 'Rows of task_labels as they stood at the end of the last run that began at or before that time';


--
-- Name: task_members_as_of(timestamp with time zone); Type: FUNCTION; Schema: collab; Owner: -
--

CREATE FUNCTION collab.task_members_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, tid text, uid text, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, tid, uid, extra, valid_from, NULL::timestamptz FROM collab.task_members WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, tid, uid, extra, valid_from, NULL::timestamptz FROM collab_history.task_members WHERE valid_from <= $1 AND $1 < valid_to$_$;


--
-- Name: FUNCTION task_members_as_of(moment timestamp with time zone); Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON FUNCTION collab.task_members_as_of(moment timestamp with time zone) IS 'Rows of task_members as they stood at the end of the last run that began at or before that time';


--
-- Name: task_todos_as_of(timestamp with time zone); Type: FUNCTION; Schema: collab; Owner: -
--

CREATE FUNCTION collab.task_todos_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, tid text, todo_id text, name text, checked boolean, "position" double precision, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, tid, todo_id, name, checked, "position", extra, valid_from, NULL::timestamptz FROM collab.task_todos WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, tid, todo_id, name, checked, "position", extra, valid_from, NULL::timestamptz FROM collab_history.task_todos WHERE valid_from <= $1 AND $1 < valid_to$_$;


--
-- Name: FUNCTION task_todos_as_of(moment timestamp with time zone); Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON FUNCTION collab.task_todos_as_of(moment timestamp with time zone) IS 'Rows of task_todos as they stood at the end of the last run that began at or before that time';


--
-- Name: task_watchers_as_of(timestamp with time zone); Type: FUNCTION; Schema: collab; Owner: -
--

CREATE FUNCTION collab.task_watchers_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, tid text, uid text, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, tid, uid, extra, valid_from, NULL::timestamptz FROM collab.task_watchers WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, tid, uid, extra, valid_from, NULL::timestamptz FROM collab_history.task_watchers WHERE valid_from <= $1 AND $1 < valid_to$_$;


--
-- Name: FUNCTION task_watchers_as_of(moment timestamp with time zone); Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON FUNCTION collab.task_watchers_as_of(moment timestamp with time zone) IS 'Rows of task_watchers as they stood at the end of the last run that began at or before that time';


--
-- Name: tasks_as_of(timestamp with time zone); Type: FUNCTION; Schema: collab; Owner: -
--

CREATE FUNCTION collab.tasks_as_of(moment timestamp with time zone) RETURNS TABLE(pid text, tid text, entry_id text, name text, description text, "position" double precision, completed boolean, completed_at timestamp with time zone, due_at timestamp with time zone, created_at timestamp with time zone, updated_at timestamp with time zone, archived boolean, comment_count integer, todo_count integer, todo_checked_count integer, file_count integer, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT pid, tid, entry_id, name, description, "position", completed, completed_at, due_at, created_at, updated_at, archived, comment_count, todo_count, todo_checked_count, file_count, extra, valid_from, NULL::timestamptz FROM collab.tasks WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT pid, tid, entry_id, name, description, "position", completed, completed_at, due_at, created_at, updated_at, archived, comment_count, todo_count, todo_checked_count, file_count, extra, valid_from, NULL::timestamptz FROM collab_history.tasks WHERE valid_from <= $1 AND $1 < valid_to$_$;


--
-- Name: FUNCTION tasks_as_of(moment timestamp with time zone); Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON FUNCTION collab.tasks_as_of(moment timestamp with time zone) IS 'Rows of tasks as they stood at the end of the last run that began at or before that time';


--
-- Name: users_as_of(timestamp with time zone); Type: FUNCTION; Schema: collab; Owner: -
--

CREATE FUNCTION collab.users_as_of(moment timestamp with time zone) RETURNS TABLE(uid text, name text, display_name text, avatar text, description text, status smallint, online smallint, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT uid, name, display_name, avatar, description, status, online, extra, valid_from, NULL::timestamptz FROM collab.users WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT uid, name, display_name, avatar, description, status, online, extra, valid_from, NULL::timestamptz FROM collab_history.users WHERE valid_from <= $1 AND $1 < valid_to$_$;


--
-- Name: FUNCTION users_as_of(moment timestamp with time zone); Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON FUNCTION collab.users_as_of(moment timestamp with time zone) IS 'Rows of users as they stood at the end of the last run that began at or before that time';


--
-- Name: webhooks_as_of(timestamp with time zone); Type: FUNCTION; Schema: collab; Owner: -
--

CREATE FUNCTION collab.webhooks_as_of(moment timestamp with time zone) RETURNS TABLE(wid text, pid text, uid text, name text, url text, actions text[], is_every boolean, type smallint, created_at timestamp with time zone, updated_at timestamp with time zone, extra jsonb, valid_from timestamp with time zone, deleted_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$SELECT wid, pid, uid, name, url, actions, is_every, type, created_at, updated_at, extra, valid_from, NULL::timestamptz FROM collab.webhooks WHERE valid_from <= $1 AND deleted_at IS NULL UNION ALL SELECT wid, pid, uid, name, url, actions, is_every, type, created_at, updated_at, extra, valid_from, NULL::timestamptz FROM collab_history.webhooks WHERE valid_from <= $1 AND $1 < valid_to$_$;


--
-- Name: FUNCTION webhooks_as_of(moment timestamp with time zone); Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON FUNCTION collab.webhooks_as_of(moment timestamp with time zone) IS 'Rows of webhooks as they stood at the end of the last run that began at or before that time';


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: comment_files; Type: TABLE; Schema: collab; Owner: -
--

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


--
-- Name: TABLE comment_files; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON TABLE collab.comment_files IS 'Files attached to comments; a file that is only named by its id has no more than that';


--
-- Name: COLUMN comment_files.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.comment_files.pid IS 'project id';


--
-- Name: COLUMN comment_files.cid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.comment_files.cid IS 'comment id';


--
-- Name: COLUMN comment_files.fid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.comment_files.fid IS 'file id';


--
-- Name: COLUMN comment_files.name; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.comment_files.name IS 'file name';


--
-- Name: COLUMN comment_files.description; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.comment_files.description IS 'file description';


--
-- Name: COLUMN comment_files.size_bytes; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.comment_files.size_bytes IS 'size in bytes';


--
-- Name: COLUMN comment_files.path; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.comment_files.path IS 'file path';


--
-- Name: COLUMN comment_files.folder_id; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.comment_files.folder_id IS 'containing folder id; null at the top';


--
-- Name: COLUMN comment_files.extra; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.comment_files.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN comment_files.valid_from; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.comment_files.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN comment_files.deleted_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.comment_files.deleted_at IS 'start of the run that found it gone; null while it exists';


--
-- Name: COLUMN comment_files.parent_kind; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.comment_files.parent_kind IS 'what was commented on: post or file';


--
-- Name: COLUMN comment_files.parent_id; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.comment_files.parent_id IS 'post or file id, by parent_kind';


--
-- Name: entries; Type: TABLE; Schema: collab; Owner: -
--

CREATE TABLE collab.entries (
    pid text NOT NULL COLLATE pg_catalog."C",
    entry_id text NOT NULL COLLATE pg_catalog."C",
    name text,
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone
);


--
-- Name: TABLE entries; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON TABLE collab.entries IS 'Task groups (entries), as tasks name them';


--
-- Name: COLUMN entries.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.entries.pid IS 'project id';


--
-- Name: COLUMN entries.entry_id; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.entries.entry_id IS 'task group id';


--
-- Name: COLUMN entries.name; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.entries.name IS 'task group name, as the task that was updated last shows it; tasks that show another have it in extra';


--
-- Name: COLUMN entries.extra; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.entries.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN entries.valid_from; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.entries.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN entries.deleted_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.entries.deleted_at IS 'start of the run that found it gone; null while it exists';


--
-- Name: event_attendees; Type: TABLE; Schema: collab; Owner: -
--

CREATE TABLE collab.event_attendees (
    pid text NOT NULL COLLATE pg_catalog."C",
    event_id text NOT NULL COLLATE pg_catalog."C",
    uid text NOT NULL COLLATE pg_catalog."C",
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone,
    starts_at timestamp with time zone NOT NULL
);


--
-- Name: TABLE event_attendees; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON TABLE collab.event_attendees IS 'Participants of each occurrence of an event';


--
-- Name: COLUMN event_attendees.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.event_attendees.pid IS 'project id';


--
-- Name: COLUMN event_attendees.event_id; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.event_attendees.event_id IS 'event id';


--
-- Name: COLUMN event_attendees.uid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.event_attendees.uid IS 'user id';


--
-- Name: COLUMN event_attendees.extra; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.event_attendees.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN event_attendees.valid_from; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.event_attendees.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN event_attendees.deleted_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.event_attendees.deleted_at IS 'start of the run that found it gone; null while it exists';


--
-- Name: COLUMN event_attendees.starts_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.event_attendees.starts_at IS 'start time of the occurrence';


--
-- Name: event_calendar; Type: VIEW; Schema: collab; Owner: -
--

CREATE VIEW collab.event_calendar AS
 SELECT pid,
    event_id,
    starts_at,
    ends_at,
    name,
    location,
    recurrence,
    listed_starts_at,
    attendees
   FROM collab.event_calendar((now() - '1 year'::interval), (now() + '1 year'::interval)) event_calendar(pid, event_id, starts_at, ends_at, name, location, recurrence, listed_starts_at, attendees);


--
-- Name: VIEW event_calendar; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON VIEW collab.event_calendar IS 'Occurrences of live events from a year ago to a year ahead, recurring ones expanded in UTC; the function of the same name takes another range';


--
-- Name: COLUMN event_calendar.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.event_calendar.pid IS 'project id';


--
-- Name: COLUMN event_calendar.event_id; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.event_calendar.event_id IS 'event id';


--
-- Name: COLUMN event_calendar.starts_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.event_calendar.starts_at IS 'start of this occurrence';


--
-- Name: COLUMN event_calendar.ends_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.event_calendar.ends_at IS 'end of this occurrence; null when the event has none';


--
-- Name: COLUMN event_calendar.name; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.event_calendar.name IS 'event content';


--
-- Name: COLUMN event_calendar.location; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.event_calendar.location IS 'place; null when the service leaves it out';


--
-- Name: COLUMN event_calendar.recurrence; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.event_calendar.recurrence IS 'how it recurs: 0 = not, 1 = daily, 2 = weekly, 3 = monthly, 4 = yearly; no end of a recurrence is known';


--
-- Name: COLUMN event_calendar.listed_starts_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.event_calendar.listed_starts_at IS 'start of the row of events that this occurrence comes from; equal to starts_at when the service listed it';


--
-- Name: COLUMN event_calendar.attendees; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.event_calendar.attendees IS 'names of the participants, in order; the id of one whose name is not known';


--
-- Name: events; Type: TABLE; Schema: collab; Owner: -
--

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
    deleted_at timestamp with time zone
);


--
-- Name: TABLE events; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON TABLE collab.events IS 'Calendar events; a recurring one has a row for each start the service lists';


--
-- Name: COLUMN events.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.events.pid IS 'project id';


--
-- Name: COLUMN events.event_id; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.events.event_id IS 'event id';


--
-- Name: COLUMN events.starts_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.events.starts_at IS 'start time';


--
-- Name: COLUMN events.ends_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.events.ends_at IS 'end time';


--
-- Name: COLUMN events.name; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.events.name IS 'event content';


--
-- Name: COLUMN events.summary; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.events.summary IS 'event description';


--
-- Name: COLUMN events.location; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.events.location IS 'place; null when the service leaves it out';


--
-- Name: COLUMN events.email; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.events.email IS 'e-mail of the user; null when the service leaves it out';


--
-- Name: COLUMN events.description; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.events.description IS 'description of the user; null when the service leaves it out';


--
-- Name: COLUMN events.recurrence; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.events.recurrence IS 'how it recurs: 0 = not, 1 = daily, 2 = weekly, 3 = monthly, 4 = yearly';


--
-- Name: COLUMN events.extra; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.events.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN events.valid_from; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.events.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN events.deleted_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.events.deleted_at IS 'start of the run that found it gone; null while it exists';


--
-- Name: file_comments; Type: TABLE; Schema: collab; Owner: -
--

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


--
-- Name: TABLE file_comments; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON TABLE collab.file_comments IS 'Comments of files';


--
-- Name: COLUMN file_comments.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.file_comments.pid IS 'project id';


--
-- Name: COLUMN file_comments.fid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.file_comments.fid IS 'file id';


--
-- Name: COLUMN file_comments.cid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.file_comments.cid IS 'comment id';


--
-- Name: COLUMN file_comments.message; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.file_comments.message IS 'content';


--
-- Name: COLUMN file_comments.raw_message; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.file_comments.raw_message IS 'content in markdown';


--
-- Name: COLUMN file_comments.type; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.file_comments.type IS 'kind of content: 1 = text, 2 = emotion, 3 = audio';


--
-- Name: COLUMN file_comments.format; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.file_comments.format IS 'format of the content: 1 = text, 2 = html';


--
-- Name: COLUMN file_comments.owner_uid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.file_comments.owner_uid IS 'user id of the author';


--
-- Name: COLUMN file_comments.created_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.file_comments.created_at IS 'comment time';


--
-- Name: COLUMN file_comments.extra; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.file_comments.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN file_comments.valid_from; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.file_comments.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN file_comments.deleted_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.file_comments.deleted_at IS 'start of the run that found it gone; null while it exists';


--
-- Name: file_watchers; Type: TABLE; Schema: collab; Owner: -
--

CREATE TABLE collab.file_watchers (
    pid text NOT NULL COLLATE pg_catalog."C",
    fid text NOT NULL COLLATE pg_catalog."C",
    uid text NOT NULL COLLATE pg_catalog."C",
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone
);


--
-- Name: TABLE file_watchers; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON TABLE collab.file_watchers IS 'Members watching files';


--
-- Name: COLUMN file_watchers.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.file_watchers.pid IS 'project id';


--
-- Name: COLUMN file_watchers.fid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.file_watchers.fid IS 'file id';


--
-- Name: COLUMN file_watchers.uid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.file_watchers.uid IS 'user id';


--
-- Name: COLUMN file_watchers.extra; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.file_watchers.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN file_watchers.valid_from; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.file_watchers.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN file_watchers.deleted_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.file_watchers.deleted_at IS 'start of the run that found it gone; null while it exists';


--
-- Name: files; Type: TABLE; Schema: collab; Owner: -
--

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


--
-- Name: TABLE files; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON TABLE collab.files IS 'Files and folders that are known; the service does not list them';


--
-- Name: COLUMN files.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.files.pid IS 'project id';


--
-- Name: COLUMN files.fid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.files.fid IS 'file id';


--
-- Name: COLUMN files.name; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.files.name IS 'name';


--
-- Name: COLUMN files.description; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.files.description IS 'description';


--
-- Name: COLUMN files.size_bytes; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.files.size_bytes IS 'size in bytes';


--
-- Name: COLUMN files.path; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.files.path IS 'path';


--
-- Name: COLUMN files.folder_id; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.files.folder_id IS 'parent folder id; null at the top';


--
-- Name: COLUMN files.type; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.files.type IS 'kind: 0 = file, 1 = folder';


--
-- Name: COLUMN files.created_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.files.created_at IS 'upload time';


--
-- Name: COLUMN files.updated_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.files.updated_at IS 'update time';


--
-- Name: COLUMN files.owner_uid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.files.owner_uid IS 'user id of the uploader';


--
-- Name: COLUMN files.extra; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.files.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN files.valid_from; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.files.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN files.deleted_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.files.deleted_at IS 'start of the run that found it gone; null while it exists';


--
-- Name: known_files; Type: TABLE; Schema: collab; Owner: -
--

CREATE TABLE collab.known_files (
    pid text NOT NULL COLLATE pg_catalog."C",
    fid text NOT NULL COLLATE pg_catalog."C",
    source text NOT NULL,
    first_seen_at timestamp with time zone NOT NULL,
    missed integer DEFAULT 0 NOT NULL,
    ask_again_at timestamp with time zone,
    unread boolean DEFAULT false NOT NULL
);


--
-- Name: TABLE known_files; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON TABLE collab.known_files IS 'Ids of files that are known, to be read by snapshots; the service does not list files';


--
-- Name: COLUMN known_files.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.known_files.pid IS 'project id';


--
-- Name: COLUMN known_files.fid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.known_files.fid IS 'file id';


--
-- Name: COLUMN known_files.source; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.known_files.source IS 'where it was first found: flag, file, page, task, event, comment, post or folder';


--
-- Name: COLUMN known_files.first_seen_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.known_files.first_seen_at IS 'when it was first found';


--
-- Name: COLUMN known_files.missed; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.known_files.missed IS 'consecutive requests that were answered with not found or, if only texts name it, that failed; 0 if it was read last or never requested';


--
-- Name: COLUMN known_files.ask_again_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.known_files.ask_again_at IS 'runs before then do not ask for it again, unless it is named; null while missed is 0';


--
-- Name: COLUMN known_files.unread; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.known_files.unread IS 'whether the last request failed without showing whether it exists';


--
-- Name: known_posts; Type: TABLE; Schema: collab; Owner: -
--

CREATE TABLE collab.known_posts (
    pid text NOT NULL COLLATE pg_catalog."C",
    post_id text NOT NULL COLLATE pg_catalog."C",
    source text NOT NULL,
    first_seen_at timestamp with time zone NOT NULL,
    missed integer DEFAULT 0 NOT NULL,
    ask_again_at timestamp with time zone,
    unread boolean DEFAULT false NOT NULL
);


--
-- Name: TABLE known_posts; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON TABLE collab.known_posts IS 'Ids of posts that are known, to be read by snapshots; the service does not list posts';


--
-- Name: COLUMN known_posts.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.known_posts.pid IS 'project id';


--
-- Name: COLUMN known_posts.post_id; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.known_posts.post_id IS 'post id';


--
-- Name: COLUMN known_posts.source; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.known_posts.source IS 'where it was first found: flag, file, page, task, event, comment, post or folder';


--
-- Name: COLUMN known_posts.first_seen_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.known_posts.first_seen_at IS 'when it was first found';


--
-- Name: COLUMN known_posts.missed; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.known_posts.missed IS 'consecutive requests that were answered with not found or, if only texts name it, that failed; 0 if it was read last or never requested';


--
-- Name: COLUMN known_posts.ask_again_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.known_posts.ask_again_at IS 'runs before then do not ask for it again, unless it is named; null while missed is 0';


--
-- Name: COLUMN known_posts.unread; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.known_posts.unread IS 'whether the last request failed without showing whether it exists';


--
-- Name: losses; Type: TABLE; Schema: collab; Owner: -
--

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


--
-- Name: TABLE losses; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON TABLE collab.losses IS 'Values that could not be taken exactly as they were sent';


--
-- Name: COLUMN losses.run_id; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.losses.run_id IS 'run id';


--
-- Name: COLUMN losses.seq; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.losses.seq IS 'number within the run';


--
-- Name: COLUMN losses.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.losses.pid IS 'project id; null for what belongs to no project';


--
-- Name: COLUMN losses.stream; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.losses.stream IS 'stream that was read';


--
-- Name: COLUMN losses.record_key; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.losses.record_key IS 'the record''s key, its parts joined by a space; * stands for every record of the scope; original is then their number';


--
-- Name: COLUMN losses.field; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.losses.field IS 'path inside the record; empty for the record itself';


--
-- Name: COLUMN losses.kind; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.losses.kind IS 'coerced (read as the type it should have had; a time in another form), rounded (a number with more digits than the column holds), left_out (not in the record: the stored value is kept, else null or an empty list), missing (sent as null: null, or an empty list), null_list (null in place of a list of records or comments: an empty list that deletes nothing), unreadable (null), unkeyed (an element without a readable key: not stored), duplicate (one is kept), misplaced (kept in the project it was read from), invalid_utf8, nul_character or lone_surrogate (replaced by U+FFFD), too_long (an id of more than 512 bytes: its beginning and a hash are kept), unaskable (an id that no request can name: what it names is not read), cut (a list with fewer elements than the record states: stored ones are kept), unlisted (a page whose parent is not in the list of pages), invalid_timestamp or out_of_range (null)';


--
-- Name: COLUMN losses.original; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.losses.original IS 'what was sent, as JSON text; null where nothing was';


--
-- Name: projects; Type: TABLE; Schema: collab; Owner: -
--

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


--
-- Name: TABLE projects; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON TABLE collab.projects IS 'Projects, as the list shows them and in detail';


--
-- Name: COLUMN projects.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.projects.pid IS 'project id';


--
-- Name: COLUMN projects.name; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.projects.name IS 'project name';


--
-- Name: COLUMN projects.description; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.projects.description IS 'description';


--
-- Name: COLUMN projects.archived; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.projects.archived IS 'whether the project is archived';


--
-- Name: COLUMN projects.pic; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.projects.pic IS 'icon';


--
-- Name: COLUMN projects.bg; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.projects.bg IS 'background colour';


--
-- Name: COLUMN projects.visibility; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.projects.visibility IS 'who may see it: 1 = private, 2 = team, 3 = public';


--
-- Name: COLUMN projects.team_id; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.projects.team_id IS 'team id';


--
-- Name: COLUMN projects.is_starred; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.projects.is_starred IS 'whether it is a favourite of the token''s user';


--
-- Name: COLUMN projects."position"; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.projects."position" IS 'position in the user''s list (may be fractional)';


--
-- Name: COLUMN projects.member_count; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.projects.member_count IS 'number of members';


--
-- Name: COLUMN projects.curr_role; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.projects.curr_role IS 'role of the token''s user: 1 = administrator, 2 = member, 3 = visitor, 4 = guest';


--
-- Name: COLUMN projects.permission; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.projects.permission IS 'permission of the token''s user: 0 = cannot operate, 5 = guest, 7 = visitor, 15 = member, 31 = administrator';


--
-- Name: COLUMN projects.created_by_uid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.projects.created_by_uid IS 'user id of the creator';


--
-- Name: COLUMN projects.extra; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.projects.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN projects.valid_from; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.projects.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN projects.deleted_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.projects.deleted_at IS 'start of the run that found it gone; null while it exists';


--
-- Name: COLUMN projects.unlisted_since; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.projects.unlisted_since IS 'start of the run that first found it missing from the list though it could be read; null while it is listed';


--
-- Name: tasks; Type: TABLE; Schema: collab; Owner: -
--

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


--
-- Name: TABLE tasks; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON TABLE collab.tasks IS 'Tasks, those of the task list and archived ones';


--
-- Name: COLUMN tasks.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.tasks.pid IS 'project id';


--
-- Name: COLUMN tasks.tid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.tasks.tid IS 'task id';


--
-- Name: COLUMN tasks.entry_id; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.tasks.entry_id IS 'task group id; null when in none';


--
-- Name: COLUMN tasks.name; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.tasks.name IS 'task name';


--
-- Name: COLUMN tasks.description; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.tasks.description IS 'task description';


--
-- Name: COLUMN tasks."position"; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.tasks."position" IS 'position; null when the task is in the archived list alone, which does not have it';


--
-- Name: COLUMN tasks.completed; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.tasks.completed IS 'whether the task is completed';


--
-- Name: COLUMN tasks.completed_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.tasks.completed_at IS 'completion time; null when there is none, and when the task is in the archived list alone, which does not have it';


--
-- Name: COLUMN tasks.due_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.tasks.due_at IS 'due date; null when there is none';


--
-- Name: COLUMN tasks.created_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.tasks.created_at IS 'creation time';


--
-- Name: COLUMN tasks.updated_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.tasks.updated_at IS 'update time';


--
-- Name: COLUMN tasks.archived; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.tasks.archived IS 'whether it was read from the list of archived tasks';


--
-- Name: COLUMN tasks.comment_count; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.tasks.comment_count IS 'number of comments';


--
-- Name: COLUMN tasks.todo_count; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.tasks.todo_count IS 'number of checklist items';


--
-- Name: COLUMN tasks.todo_checked_count; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.tasks.todo_checked_count IS 'number of completed checklist items';


--
-- Name: COLUMN tasks.file_count; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.tasks.file_count IS 'number of attachments';


--
-- Name: COLUMN tasks.extra; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.tasks.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN tasks.valid_from; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.tasks.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN tasks.deleted_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.tasks.deleted_at IS 'start of the run that found it gone; null while it exists';


--
-- Name: COLUMN tasks.record_hash; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.tasks.record_hash IS 'hash of the record with its lists as it was read, by which the next run knows that nothing changed; null: to be compared value by value';


--
-- Name: tasks; Type: TABLE; Schema: collab_history; Owner: -
--

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


--
-- Name: TABLE tasks; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON TABLE collab_history.tasks IS 'Versions of tasks that were superseded or deleted';


--
-- Name: COLUMN tasks.pid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.tasks.pid IS 'project id';


--
-- Name: COLUMN tasks.tid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.tasks.tid IS 'task id';


--
-- Name: COLUMN tasks.entry_id; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.tasks.entry_id IS 'task group id; null when in none';


--
-- Name: COLUMN tasks.name; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.tasks.name IS 'task name';


--
-- Name: COLUMN tasks.description; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.tasks.description IS 'task description';


--
-- Name: COLUMN tasks."position"; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.tasks."position" IS 'position; null when archived, as the service does not send it then';


--
-- Name: COLUMN tasks.completed; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.tasks.completed IS 'whether the task is completed';


--
-- Name: COLUMN tasks.completed_at; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.tasks.completed_at IS 'completion time; null when archived, as the service does not send it then, and when there is none';


--
-- Name: COLUMN tasks.due_at; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.tasks.due_at IS 'due date; null when there is none';


--
-- Name: COLUMN tasks.created_at; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.tasks.created_at IS 'creation time';


--
-- Name: COLUMN tasks.updated_at; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.tasks.updated_at IS 'update time';


--
-- Name: COLUMN tasks.archived; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.tasks.archived IS 'whether it was read from the list of archived tasks';


--
-- Name: COLUMN tasks.comment_count; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.tasks.comment_count IS 'number of comments';


--
-- Name: COLUMN tasks.todo_count; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.tasks.todo_count IS 'number of checklist items';


--
-- Name: COLUMN tasks.todo_checked_count; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.tasks.todo_checked_count IS 'number of completed checklist items';


--
-- Name: COLUMN tasks.file_count; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.tasks.file_count IS 'number of attachments';


--
-- Name: COLUMN tasks.extra; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.tasks.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN tasks.valid_from; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.tasks.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN tasks.valid_to; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.tasks.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';


--
-- Name: task_versions; Type: VIEW; Schema: collab; Owner: -
--

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


--
-- Name: VIEW task_versions; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON VIEW collab.task_versions IS 'Every version of tasks: the one that holds now, and those that were superseded or deleted';


--
-- Name: COLUMN task_versions.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_versions.pid IS 'project id';


--
-- Name: COLUMN task_versions.tid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_versions.tid IS 'task id';


--
-- Name: COLUMN task_versions.entry_id; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_versions.entry_id IS 'task group id; null when in none';


--
-- Name: COLUMN task_versions.name; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_versions.name IS 'task name';


--
-- Name: COLUMN task_versions.description; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_versions.description IS 'task description';


--
-- Name: COLUMN task_versions."position"; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_versions."position" IS 'position; null when archived, as the service does not send it then';


--
-- Name: COLUMN task_versions.completed; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_versions.completed IS 'whether the task is completed';


--
-- Name: COLUMN task_versions.completed_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_versions.completed_at IS 'completion time; null when archived, as the service does not send it then, and when there is none';


--
-- Name: COLUMN task_versions.due_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_versions.due_at IS 'due date; null when there is none';


--
-- Name: COLUMN task_versions.created_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_versions.created_at IS 'creation time';


--
-- Name: COLUMN task_versions.updated_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_versions.updated_at IS 'update time';


--
-- Name: COLUMN task_versions.archived; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_versions.archived IS 'whether it was read from the list of archived tasks';


--
-- Name: COLUMN task_versions.comment_count; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_versions.comment_count IS 'number of comments';


--
-- Name: COLUMN task_versions.todo_count; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_versions.todo_count IS 'number of checklist items';


--
-- Name: COLUMN task_versions.todo_checked_count; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_versions.todo_checked_count IS 'number of completed checklist items';


--
-- Name: COLUMN task_versions.file_count; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_versions.file_count IS 'number of attachments';


--
-- Name: COLUMN task_versions.extra; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_versions.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN task_versions.valid_from; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_versions.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN task_versions.valid_to; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_versions.valid_to IS 'start of the run that first saw it changed or gone; null while it holds';


--
-- Name: task_completions; Type: VIEW; Schema: collab; Owner: -
--

CREATE VIEW collab.task_completions AS
 SELECT pid,
    tid,
        CASE
            WHEN (sent_at IS NOT NULL) THEN sent_at
            WHEN (was_open OR (created_at > first_seen_at)) THEN shown_at
            ELSE NULL::timestamp with time zone
        END AS completed_at,
    (sent_at IS NOT NULL) AS is_sent,
    shown_at
   FROM ( SELECT numbered.pid,
            numbered.tid,
            (numbered.open_versions > 0) AS was_open,
            max(numbered.completed_at) FILTER (WHERE numbered.completed) AS sent_at,
            min(numbered.valid_from) FILTER (WHERE numbered.completed) AS shown_at,
            max(numbered.created_at) AS created_at,
            min(min(numbered.valid_from)) OVER (PARTITION BY numbered.pid) AS first_seen_at
           FROM ( SELECT task_versions.pid,
                    task_versions.tid,
                    task_versions.completed,
                    task_versions.completed_at,
                    task_versions.valid_from,
                    task_versions.created_at,
                    count(*) FILTER (WHERE (task_versions.completed IS NOT TRUE)) OVER (PARTITION BY task_versions.pid, task_versions.tid ORDER BY task_versions.valid_from) AS open_versions
                   FROM collab.task_versions) numbered
          GROUP BY numbered.pid, numbered.tid, numbered.open_versions) stretch
  WHERE (shown_at IS NOT NULL);


--
-- Name: VIEW task_completions; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON VIEW collab.task_completions IS 'Each time a task was completed: a task that was reopened may have several; deleted tasks too';


--
-- Name: COLUMN task_completions.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_completions.pid IS 'project id';


--
-- Name: COLUMN task_completions.tid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_completions.tid IS 'task id';


--
-- Name: COLUMN task_completions.completed_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_completions.completed_at IS 'completion time as sent, the last one where it was sent several times; else start of the run that first saw it completed; null when neither is known: it was first seen completed, without a time, and is older than the first snapshot of the project''s tasks';


--
-- Name: COLUMN task_completions.is_sent; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_completions.is_sent IS 'whether completed_at is as sent (else it may be late by the time between two runs)';


--
-- Name: COLUMN task_completions.shown_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_completions.shown_at IS 'start of the run that first saw it completed';


--
-- Name: task_members; Type: TABLE; Schema: collab; Owner: -
--

CREATE TABLE collab.task_members (
    pid text NOT NULL COLLATE pg_catalog."C",
    tid text NOT NULL COLLATE pg_catalog."C",
    uid text NOT NULL COLLATE pg_catalog."C",
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone
);


--
-- Name: TABLE task_members; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON TABLE collab.task_members IS 'Members assigned to tasks';


--
-- Name: COLUMN task_members.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_members.pid IS 'project id';


--
-- Name: COLUMN task_members.tid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_members.tid IS 'task id';


--
-- Name: COLUMN task_members.uid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_members.uid IS 'user id';


--
-- Name: COLUMN task_members.extra; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_members.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN task_members.valid_from; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_members.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN task_members.deleted_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_members.deleted_at IS 'start of the run that found it gone; null while it exists';


--
-- Name: users; Type: TABLE; Schema: collab; Owner: -
--

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


--
-- Name: TABLE users; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON TABLE collab.users IS 'Users, as they are embedded in other records; never marked deleted';


--
-- Name: COLUMN users.uid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.users.uid IS 'user id';


--
-- Name: COLUMN users.name; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.users.name IS 'user name';


--
-- Name: COLUMN users.display_name; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.users.display_name IS 'nickname';


--
-- Name: COLUMN users.avatar; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.users.avatar IS 'avatar file name';


--
-- Name: COLUMN users.description; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.users.description IS 'user description (may be empty)';


--
-- Name: COLUMN users.status; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.users.status IS 'state of the account: 1 = normal, 2 = invited, 3 = needs e-mail confirmation';


--
-- Name: COLUMN users.online; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.users.online IS 'presence when last read: 0 = offline, 1 = online, 2 = busy, 3 = away';


--
-- Name: COLUMN users.extra; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.users.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN users.valid_from; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.users.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN users.deleted_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.users.deleted_at IS 'start of the run that found it gone; null while it exists';


--
-- Name: member_workload; Type: VIEW; Schema: collab; Owner: -
--

CREATE VIEW collab.member_workload AS
 SELECT workload.pid,
    project.name AS project_name,
    workload.uid,
    member.name AS user_name,
    workload.open,
    workload.overdue,
    workload.due_in_7_days,
    workload.completed_in_30_days
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
                            NULL::timestamp with time zone AS completed_at,
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


--
-- Name: VIEW member_workload; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON VIEW collab.member_workload IS 'Tasks assigned to each user in each project, relative to now(): live tasks, as the last run saw them; a task with several members counts for each. Who has none that is open or newly completed is not listed';


--
-- Name: COLUMN member_workload.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.member_workload.pid IS 'project id';


--
-- Name: COLUMN member_workload.project_name; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.member_workload.project_name IS 'project name';


--
-- Name: COLUMN member_workload.uid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.member_workload.uid IS 'user id';


--
-- Name: COLUMN member_workload.user_name; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.member_workload.user_name IS 'user name';


--
-- Name: COLUMN member_workload.open; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.member_workload.open IS 'tasks neither completed nor archived';


--
-- Name: COLUMN member_workload.overdue; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.member_workload.overdue IS 'those of open whose due date has passed';


--
-- Name: COLUMN member_workload.due_in_7_days; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.member_workload.due_in_7_days IS 'those of open that are due from now on within 7 days of 24 hours';


--
-- Name: COLUMN member_workload.completed_in_30_days; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.member_workload.completed_in_30_days IS 'completed tasks, archived ones too, whose last completion was within the last 30 days of 24 hours';


--
-- Name: overdue_tasks; Type: VIEW; Schema: collab; Owner: -
--

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
          ORDER BY (COALESCE(users.name, member.uid) COLLATE "C"), member.uid) AS members
   FROM ((collab.tasks task
     LEFT JOIN collab.projects project ON ((project.pid = task.pid)))
     LEFT JOIN collab.entries entry ON (((entry.pid = task.pid) AND (entry.entry_id = task.entry_id))))
  WHERE ((task.deleted_at IS NULL) AND (task.completed IS NOT TRUE) AND (task.archived IS NOT TRUE) AND (task.due_at < now()));


--
-- Name: VIEW overdue_tasks; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON VIEW collab.overdue_tasks IS 'Live tasks, neither completed nor archived, whose due date is before now()';


--
-- Name: COLUMN overdue_tasks.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.overdue_tasks.pid IS 'project id';


--
-- Name: COLUMN overdue_tasks.project_name; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.overdue_tasks.project_name IS 'project name';


--
-- Name: COLUMN overdue_tasks.tid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.overdue_tasks.tid IS 'task id';


--
-- Name: COLUMN overdue_tasks.name; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.overdue_tasks.name IS 'task name';


--
-- Name: COLUMN overdue_tasks.entry_id; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.overdue_tasks.entry_id IS 'task group id; null when in none';


--
-- Name: COLUMN overdue_tasks.entry_name; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.overdue_tasks.entry_name IS 'task group name';


--
-- Name: COLUMN overdue_tasks.due_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.overdue_tasks.due_at IS 'due date';


--
-- Name: COLUMN overdue_tasks.days_overdue; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.overdue_tasks.days_overdue IS 'UTC days from the due day to today: 0 when it was due earlier today, 1 when it was due yesterday';


--
-- Name: COLUMN overdue_tasks.members; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.overdue_tasks.members IS 'names of the users it is assigned to, in order; the id of one whose name is not known';


--
-- Name: pages; Type: TABLE; Schema: collab; Owner: -
--

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


--
-- Name: TABLE pages; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON TABLE collab.pages IS 'Documents';


--
-- Name: COLUMN pages.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.pages.pid IS 'project id';


--
-- Name: COLUMN pages.page_id; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.pages.page_id IS 'document id';


--
-- Name: COLUMN pages.parent_id; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.pages.parent_id IS 'parent document id; null at the top level';


--
-- Name: COLUMN pages.name; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.pages.name IS 'document name';


--
-- Name: COLUMN pages.summary; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.pages.summary IS 'document content';


--
-- Name: COLUMN pages.content; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.pages.content IS 'content in markdown';


--
-- Name: COLUMN pages.created_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.pages.created_at IS 'creation time';


--
-- Name: COLUMN pages.updated_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.pages.updated_at IS 'update time';


--
-- Name: COLUMN pages.owner_uid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.pages.owner_uid IS 'user id of the creator';


--
-- Name: COLUMN pages.extra; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.pages.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN pages.valid_from; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.pages.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN pages.deleted_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.pages.deleted_at IS 'start of the run that found it gone; null while it exists';


--
-- Name: COLUMN pages.record_hash; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.pages.record_hash IS 'hash of the record with its lists as it was read, by which the next run knows that nothing changed; null: to be compared value by value';


--
-- Name: pages; Type: TABLE; Schema: collab_history; Owner: -
--

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


--
-- Name: TABLE pages; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON TABLE collab_history.pages IS 'Versions of pages that were superseded or deleted';


--
-- Name: COLUMN pages.pid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.pages.pid IS 'project id';


--
-- Name: COLUMN pages.page_id; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.pages.page_id IS 'document id';


--
-- Name: COLUMN pages.parent_id; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.pages.parent_id IS 'parent document id; null at the top level';


--
-- Name: COLUMN pages.name; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.pages.name IS 'document name';


--
-- Name: COLUMN pages.summary; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.pages.summary IS 'document content';


--
-- Name: COLUMN pages.content; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.pages.content IS 'content in markdown';


--
-- Name: COLUMN pages.created_at; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.pages.created_at IS 'creation time';


--
-- Name: COLUMN pages.updated_at; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.pages.updated_at IS 'update time';


--
-- Name: COLUMN pages.owner_uid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.pages.owner_uid IS 'user id of the creator';


--
-- Name: COLUMN pages.extra; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.pages.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN pages.valid_from; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.pages.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN pages.valid_to; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.pages.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';


--
-- Name: page_versions; Type: VIEW; Schema: collab; Owner: -
--

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


--
-- Name: VIEW page_versions; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON VIEW collab.page_versions IS 'Every version of pages: the one that holds now, and those that were superseded or deleted';


--
-- Name: COLUMN page_versions.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.page_versions.pid IS 'project id';


--
-- Name: COLUMN page_versions.page_id; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.page_versions.page_id IS 'document id';


--
-- Name: COLUMN page_versions.parent_id; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.page_versions.parent_id IS 'parent document id; null at the top level';


--
-- Name: COLUMN page_versions.name; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.page_versions.name IS 'document name';


--
-- Name: COLUMN page_versions.summary; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.page_versions.summary IS 'document content';


--
-- Name: COLUMN page_versions.content; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.page_versions.content IS 'content in markdown';


--
-- Name: COLUMN page_versions.created_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.page_versions.created_at IS 'creation time';


--
-- Name: COLUMN page_versions.updated_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.page_versions.updated_at IS 'update time';


--
-- Name: COLUMN page_versions.owner_uid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.page_versions.owner_uid IS 'user id of the creator';


--
-- Name: COLUMN page_versions.extra; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.page_versions.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN page_versions.valid_from; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.page_versions.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN page_versions.valid_to; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.page_versions.valid_to IS 'start of the run that first saw it changed or gone; null while it holds';


--
-- Name: page_watchers; Type: TABLE; Schema: collab; Owner: -
--

CREATE TABLE collab.page_watchers (
    pid text NOT NULL COLLATE pg_catalog."C",
    page_id text NOT NULL COLLATE pg_catalog."C",
    uid text NOT NULL COLLATE pg_catalog."C",
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone
);


--
-- Name: TABLE page_watchers; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON TABLE collab.page_watchers IS 'Members watching documents';


--
-- Name: COLUMN page_watchers.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.page_watchers.pid IS 'project id';


--
-- Name: COLUMN page_watchers.page_id; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.page_watchers.page_id IS 'document id';


--
-- Name: COLUMN page_watchers.uid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.page_watchers.uid IS 'user id';


--
-- Name: COLUMN page_watchers.extra; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.page_watchers.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN page_watchers.valid_from; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.page_watchers.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN page_watchers.deleted_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.page_watchers.deleted_at IS 'start of the run that found it gone; null while it exists';


--
-- Name: post_comments; Type: TABLE; Schema: collab; Owner: -
--

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


--
-- Name: TABLE post_comments; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON TABLE collab.post_comments IS 'Comments of posts';


--
-- Name: COLUMN post_comments.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.post_comments.pid IS 'project id';


--
-- Name: COLUMN post_comments.post_id; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.post_comments.post_id IS 'post id';


--
-- Name: COLUMN post_comments.cid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.post_comments.cid IS 'comment id';


--
-- Name: COLUMN post_comments.message; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.post_comments.message IS 'content';


--
-- Name: COLUMN post_comments.raw_message; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.post_comments.raw_message IS 'content in markdown';


--
-- Name: COLUMN post_comments.type; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.post_comments.type IS 'kind of content: 1 = text, 2 = emotion, 3 = audio';


--
-- Name: COLUMN post_comments.format; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.post_comments.format IS 'format of the content: 1 = text, 2 = html';


--
-- Name: COLUMN post_comments.owner_uid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.post_comments.owner_uid IS 'user id of the author';


--
-- Name: COLUMN post_comments.created_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.post_comments.created_at IS 'comment time';


--
-- Name: COLUMN post_comments.extra; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.post_comments.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN post_comments.valid_from; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.post_comments.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN post_comments.deleted_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.post_comments.deleted_at IS 'start of the run that found it gone; null while it exists';


--
-- Name: posts; Type: TABLE; Schema: collab; Owner: -
--

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


--
-- Name: TABLE posts; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON TABLE collab.posts IS 'Discussion posts that are known; the service does not list them';


--
-- Name: COLUMN posts.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.posts.pid IS 'project id';


--
-- Name: COLUMN posts.post_id; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.posts.post_id IS 'post id';


--
-- Name: COLUMN posts.name; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.posts.name IS 'title';


--
-- Name: COLUMN posts.summary; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.posts.summary IS 'content';


--
-- Name: COLUMN posts.content; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.posts.content IS 'content in markdown';


--
-- Name: COLUMN posts.created_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.posts.created_at IS 'creation time';


--
-- Name: COLUMN posts.updated_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.posts.updated_at IS 'update time';


--
-- Name: COLUMN posts.owner_uid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.posts.owner_uid IS 'user id of the creator';


--
-- Name: COLUMN posts.extra; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.posts.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN posts.valid_from; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.posts.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN posts.deleted_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.posts.deleted_at IS 'start of the run that found it gone; null while it exists';


--
-- Name: posts; Type: TABLE; Schema: collab_history; Owner: -
--

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


--
-- Name: TABLE posts; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON TABLE collab_history.posts IS 'Versions of posts that were superseded or deleted';


--
-- Name: COLUMN posts.pid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.posts.pid IS 'project id';


--
-- Name: COLUMN posts.post_id; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.posts.post_id IS 'post id';


--
-- Name: COLUMN posts.name; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.posts.name IS 'title';


--
-- Name: COLUMN posts.summary; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.posts.summary IS 'content';


--
-- Name: COLUMN posts.content; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.posts.content IS 'content in markdown';


--
-- Name: COLUMN posts.created_at; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.posts.created_at IS 'creation time';


--
-- Name: COLUMN posts.updated_at; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.posts.updated_at IS 'update time';


--
-- Name: COLUMN posts.owner_uid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.posts.owner_uid IS 'user id of the creator';


--
-- Name: COLUMN posts.extra; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.posts.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN posts.valid_from; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.posts.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN posts.valid_to; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.posts.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';


--
-- Name: post_versions; Type: VIEW; Schema: collab; Owner: -
--

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


--
-- Name: VIEW post_versions; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON VIEW collab.post_versions IS 'Every version of posts: the one that holds now, and those that were superseded or deleted';


--
-- Name: COLUMN post_versions.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.post_versions.pid IS 'project id';


--
-- Name: COLUMN post_versions.post_id; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.post_versions.post_id IS 'post id';


--
-- Name: COLUMN post_versions.name; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.post_versions.name IS 'title';


--
-- Name: COLUMN post_versions.summary; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.post_versions.summary IS 'content';


--
-- Name: COLUMN post_versions.content; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.post_versions.content IS 'content in markdown';


--
-- Name: COLUMN post_versions.created_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.post_versions.created_at IS 'creation time';


--
-- Name: COLUMN post_versions.updated_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.post_versions.updated_at IS 'update time';


--
-- Name: COLUMN post_versions.owner_uid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.post_versions.owner_uid IS 'user id of the creator';


--
-- Name: COLUMN post_versions.extra; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.post_versions.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN post_versions.valid_from; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.post_versions.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN post_versions.valid_to; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.post_versions.valid_to IS 'start of the run that first saw it changed or gone; null while it holds';


--
-- Name: post_watchers; Type: TABLE; Schema: collab; Owner: -
--

CREATE TABLE collab.post_watchers (
    pid text NOT NULL COLLATE pg_catalog."C",
    post_id text NOT NULL COLLATE pg_catalog."C",
    uid text NOT NULL COLLATE pg_catalog."C",
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone
);


--
-- Name: TABLE post_watchers; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON TABLE collab.post_watchers IS 'Members watching posts';


--
-- Name: COLUMN post_watchers.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.post_watchers.pid IS 'project id';


--
-- Name: COLUMN post_watchers.post_id; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.post_watchers.post_id IS 'post id';


--
-- Name: COLUMN post_watchers.uid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.post_watchers.uid IS 'user id';


--
-- Name: COLUMN post_watchers.extra; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.post_watchers.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN post_watchers.valid_from; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.post_watchers.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN post_watchers.deleted_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.post_watchers.deleted_at IS 'start of the run that found it gone; null while it exists';


--
-- Name: project_activity; Type: VIEW; Schema: collab; Owner: -
--

CREATE VIEW collab.project_activity AS
 SELECT pid,
    ((happened_at AT TIME ZONE 'UTC'::text))::date AS day,
    count(*) FILTER (WHERE (kind = 'task created'::text)) AS tasks_created,
    count(*) FILTER (WHERE (kind = 'task completed'::text)) AS tasks_completed,
    count(*) FILTER (WHERE (kind = 'comment'::text)) AS comments,
    count(*) FILTER (WHERE (kind = 'page created'::text)) AS pages_created,
    count(DISTINCT id) FILTER (WHERE (kind = 'page updated'::text)) AS pages_updated,
    count(*) FILTER (WHERE (kind = 'post created'::text)) AS posts_created,
    count(DISTINCT id) FILTER (WHERE (kind = 'post updated'::text)) AS posts_updated,
    count(*) FILTER (WHERE (kind = 'file'::text)) AS files,
    count(*) FILTER (WHERE (kind = 'event'::text)) AS events
   FROM ( SELECT 'task created'::text AS kind,
            tasks.pid,
            tasks.tid AS id,
            tasks.created_at AS happened_at
           FROM collab.tasks
        UNION ALL
         SELECT 'task completed'::text,
            task_completions.pid,
            task_completions.tid,
            task_completions.completed_at
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
           FROM collab.events) activity
  WHERE (happened_at <= now())
  GROUP BY pid, (((happened_at AT TIME ZONE 'UTC'::text))::date);


--
-- Name: VIEW project_activity; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON VIEW collab.project_activity IS 'What happened in each project on each UTC day until now(), by the records'' own times and also before the first run; days without any are not listed. Records deleted since count too';


--
-- Name: COLUMN project_activity.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_activity.pid IS 'project id';


--
-- Name: COLUMN project_activity.day; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_activity.day IS 'UTC day';


--
-- Name: COLUMN project_activity.tasks_created; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_activity.tasks_created IS 'tasks created';


--
-- Name: COLUMN project_activity.tasks_completed; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_activity.tasks_completed IS 'completions, by task_completions.completed_at';


--
-- Name: COLUMN project_activity.comments; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_activity.comments IS 'comments written on posts and files (the service does not list those of tasks and events)';


--
-- Name: COLUMN project_activity.pages_created; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_activity.pages_created IS 'pages created';


--
-- Name: COLUMN project_activity.pages_updated; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_activity.pages_updated IS 'pages updated after they were created, each once; of several updates between two runs the last is known';


--
-- Name: COLUMN project_activity.posts_created; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_activity.posts_created IS 'posts created, of those that are known';


--
-- Name: COLUMN project_activity.posts_updated; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_activity.posts_updated IS 'posts updated after they were created, each once; of several updates between two runs the last is known';


--
-- Name: COLUMN project_activity.files; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_activity.files IS 'files uploaded, of those that are known; folders do not count';


--
-- Name: COLUMN project_activity.events; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_activity.events IS 'starts of events as the service lists them: a recurring event counts on those, not on each recurrence';


--
-- Name: projects; Type: TABLE; Schema: collab_history; Owner: -
--

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


--
-- Name: TABLE projects; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON TABLE collab_history.projects IS 'Versions of projects that were superseded or deleted';


--
-- Name: COLUMN projects.pid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.projects.pid IS 'project id';


--
-- Name: COLUMN projects.name; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.projects.name IS 'project name';


--
-- Name: COLUMN projects.description; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.projects.description IS 'description';


--
-- Name: COLUMN projects.archived; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.projects.archived IS 'whether the project is archived';


--
-- Name: COLUMN projects.pic; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.projects.pic IS 'icon';


--
-- Name: COLUMN projects.bg; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.projects.bg IS 'background colour';


--
-- Name: COLUMN projects.visibility; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.projects.visibility IS 'who may see it: 1 = private, 2 = team, 3 = public';


--
-- Name: COLUMN projects.team_id; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.projects.team_id IS 'team id';


--
-- Name: COLUMN projects.is_starred; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.projects.is_starred IS 'whether it is a favourite of the token''s user';


--
-- Name: COLUMN projects."position"; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.projects."position" IS 'position in the user''s list (may be fractional)';


--
-- Name: COLUMN projects.member_count; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.projects.member_count IS 'number of members';


--
-- Name: COLUMN projects.curr_role; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.projects.curr_role IS 'role of the token''s user: 1 = administrator, 2 = member, 3 = visitor, 4 = guest';


--
-- Name: COLUMN projects.permission; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.projects.permission IS 'permission of the token''s user: 0 = cannot operate, 5 = guest, 7 = visitor, 15 = member, 31 = administrator';


--
-- Name: COLUMN projects.created_by_uid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.projects.created_by_uid IS 'user id of the creator';


--
-- Name: COLUMN projects.extra; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.projects.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN projects.valid_from; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.projects.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN projects.valid_to; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.projects.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';


--
-- Name: COLUMN projects.unlisted_since; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.projects.unlisted_since IS 'start of the run that first found it missing from the list though it could be read; null while it is listed';


--
-- Name: project_versions; Type: VIEW; Schema: collab; Owner: -
--

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


--
-- Name: VIEW project_versions; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON VIEW collab.project_versions IS 'Every version of projects: the one that holds now, and those that were superseded or deleted';


--
-- Name: COLUMN project_versions.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_versions.pid IS 'project id';


--
-- Name: COLUMN project_versions.name; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_versions.name IS 'project name';


--
-- Name: COLUMN project_versions.description; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_versions.description IS 'description';


--
-- Name: COLUMN project_versions.archived; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_versions.archived IS 'whether the project is archived';


--
-- Name: COLUMN project_versions.pic; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_versions.pic IS 'icon';


--
-- Name: COLUMN project_versions.bg; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_versions.bg IS 'background colour';


--
-- Name: COLUMN project_versions.visibility; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_versions.visibility IS 'who may see it: 1 = private, 2 = team, 3 = public';


--
-- Name: COLUMN project_versions.team_id; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_versions.team_id IS 'team id';


--
-- Name: COLUMN project_versions.is_starred; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_versions.is_starred IS 'whether it is a favourite of the token''s user';


--
-- Name: COLUMN project_versions."position"; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_versions."position" IS 'position in the user''s list (may be fractional)';


--
-- Name: COLUMN project_versions.member_count; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_versions.member_count IS 'number of members';


--
-- Name: COLUMN project_versions.curr_role; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_versions.curr_role IS 'role of the token''s user: 1 = administrator, 2 = member, 3 = visitor, 4 = guest';


--
-- Name: COLUMN project_versions.permission; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_versions.permission IS 'permission of the token''s user: 0 = cannot operate, 5 = guest, 7 = visitor, 15 = member, 31 = administrator';


--
-- Name: COLUMN project_versions.created_by_uid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_versions.created_by_uid IS 'user id of the creator';


--
-- Name: COLUMN project_versions.extra; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_versions.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN project_versions.valid_from; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_versions.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN project_versions.valid_to; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_versions.valid_to IS 'start of the run that first saw it changed or gone; null while it holds';


--
-- Name: project_first_seen; Type: VIEW; Schema: collab; Owner: -
--

CREATE VIEW collab.project_first_seen AS
 SELECT pid,
    min(valid_from) AS first_seen_at
   FROM ( SELECT project_versions.pid,
            project_versions.valid_from
           FROM collab.project_versions
        UNION ALL
         SELECT task_versions.pid,
            task_versions.valid_from
           FROM collab.task_versions) seen
  GROUP BY pid;


--
-- Name: VIEW project_first_seen; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON VIEW collab.project_first_seen IS 'Since when a project is in the warehouse; deleted projects too';


--
-- Name: COLUMN project_first_seen.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_first_seen.pid IS 'project id';


--
-- Name: COLUMN project_first_seen.first_seen_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_first_seen.first_seen_at IS 'start of the run that first saw it or one of its tasks';


--
-- Name: project_labels; Type: TABLE; Schema: collab; Owner: -
--

CREATE TABLE collab.project_labels (
    pid text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    description text,
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone
);


--
-- Name: TABLE project_labels; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON TABLE collab.project_labels IS 'Labels of projects';


--
-- Name: COLUMN project_labels.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_labels.pid IS 'project id';


--
-- Name: COLUMN project_labels.name; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_labels.name IS 'label name (a colour word)';


--
-- Name: COLUMN project_labels.description; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_labels.description IS 'label description';


--
-- Name: COLUMN project_labels.extra; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_labels.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN project_labels.valid_from; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_labels.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN project_labels.deleted_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.project_labels.deleted_at IS 'start of the run that found it gone; null while it exists';


--
-- Name: run_scopes; Type: TABLE; Schema: collab; Owner: -
--

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
    CONSTRAINT run_scopes_status_check CHECK ((status = ANY (ARRAY['complete'::text, 'partial'::text, 'drifted'::text, 'refused'::text, 'skipped'::text, 'failed'::text])))
);


--
-- Name: TABLE run_scopes; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON TABLE collab.run_scopes IS 'What each run read: one stream of one project a row';


--
-- Name: COLUMN run_scopes.run_id; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.run_scopes.run_id IS 'run id';


--
-- Name: COLUMN run_scopes.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.run_scopes.pid IS 'project id; '''' for what belongs to no project (the project list, personal webhooks)';


--
-- Name: COLUMN run_scopes.stream; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.run_scopes.stream IS 'projects, tasks, archived_tasks, pages, posts, events, files or webhooks';


--
-- Name: COLUMN run_scopes.status; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.run_scopes.status IS 'complete, partial (items listed in unread_items were not read), drifted (records kept moving, or the list may be capped), refused (too many rows would have been marked deleted), skipped or failed; complete ones alone mark rows deleted';


--
-- Name: COLUMN run_scopes.pages; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.run_scopes.pages IS 'pages or windows read';


--
-- Name: COLUMN run_scopes.requests; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.run_scopes.requests IS 'requests made, retries included';


--
-- Name: COLUMN run_scopes.bytes; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.run_scopes.bytes IS 'bytes of bodies received';


--
-- Name: COLUMN run_scopes.rows_read; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.run_scopes.rows_read IS 'rows that its records became, over all tables but users';


--
-- Name: COLUMN run_scopes.rows_inserted; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.run_scopes.rows_inserted IS 'rows that were new';


--
-- Name: COLUMN run_scopes.rows_updated; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.run_scopes.rows_updated IS 'rows that had changed or came back';


--
-- Name: COLUMN run_scopes.rows_deleted; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.run_scopes.rows_deleted IS 'rows marked deleted';


--
-- Name: COLUMN run_scopes.started_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.run_scopes.started_at IS 'when reading it began: its first request';


--
-- Name: COLUMN run_scopes.finished_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.run_scopes.finished_at IS 'when reading it ended: its last answer';


--
-- Name: COLUMN run_scopes.error_code; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.run_scopes.error_code IS 'error code of the service, or a word in capitals; null when complete';


--
-- Name: COLUMN run_scopes.error; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.run_scopes.error IS 'why it is not complete';


--
-- Name: COLUMN run_scopes.records_read; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.run_scopes.records_read IS 'records that the service sent; null for runs before version 5';


--
-- Name: COLUMN run_scopes.content_hash; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.run_scopes.content_hash IS 'sum, modulo 2^256, of the SHA-256 of each record as rows, in hexadecimal: the same records in any order give the same; null when nothing was read';


--
-- Name: runs; Type: TABLE; Schema: collab; Owner: -
--

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
    CONSTRAINT runs_status_check CHECK ((status = ANY (ARRAY['running'::text, 'succeeded'::text, 'partial'::text, 'failed'::text, 'interrupted'::text])))
);


--
-- Name: TABLE runs; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON TABLE collab.runs IS 'Runs of the snapshot';


--
-- Name: COLUMN runs.run_id; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.runs.run_id IS 'run id; sorts by time';


--
-- Name: COLUMN runs.started_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.runs.started_at IS 'when it began; everything it changed carries this time';


--
-- Name: COLUMN runs.finished_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.runs.finished_at IS 'when it ended; null while running, and when its process died';


--
-- Name: COLUMN runs.status; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.runs.status IS 'running, succeeded, partial (some scopes are not complete), failed or interrupted';


--
-- Name: COLUMN runs.base_url; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.runs.base_url IS 'address of the service';


--
-- Name: COLUMN runs.tool_version; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.runs.tool_version IS 'version of the tool';


--
-- Name: COLUMN runs.requests; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.runs.requests IS 'requests made, retries included';


--
-- Name: COLUMN runs.retries; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.runs.retries IS 'requests that were made again';


--
-- Name: COLUMN runs.bytes; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.runs.bytes IS 'bytes of bodies received';


--
-- Name: COLUMN runs.error; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.runs.error IS 'why it did not succeed';


--
-- Name: COLUMN runs.options; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.runs.options IS 'options that decide what is read and stored: projects (null: all), streams and others, by which a later run knows what it may keep when it resumes this one; null when they are not known, as for runs before version 8';


--
-- Name: COLUMN runs.covers_all; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.runs.covers_all IS 'whether all projects and all streams were asked for; status says whether they could be read';


--
-- Name: schema_version; Type: TABLE; Schema: collab; Owner: -
--

CREATE TABLE collab.schema_version (
    version bigint NOT NULL,
    name text,
    md5 text,
    run_at timestamp with time zone
);


--
-- Name: TABLE schema_version; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON TABLE collab.schema_version IS 'Migrations of this schema that were applied';


--
-- Name: COLUMN schema_version.version; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.schema_version.version IS 'number of the migration; the highest one is the version of the schema';


--
-- Name: COLUMN schema_version.name; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.schema_version.name IS 'name of the migration';


--
-- Name: COLUMN schema_version.md5; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.schema_version.md5 IS 'checksum of its file';


--
-- Name: COLUMN schema_version.run_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.schema_version.run_at IS 'when it was applied';


--
-- Name: scopes_to_reread; Type: TABLE; Schema: collab; Owner: -
--

CREATE TABLE collab.scopes_to_reread (
    pid text NOT NULL COLLATE pg_catalog."C",
    stream text NOT NULL,
    found_at timestamp with time zone NOT NULL
);


--
-- Name: TABLE scopes_to_reread; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON TABLE collab.scopes_to_reread IS 'Scopes of which a comparison with the service found differences; the next snapshot that reads one completely compares every value of it, repairs what differs, and removes its row here';


--
-- Name: COLUMN scopes_to_reread.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.scopes_to_reread.pid IS 'project id; '''' for personal webhooks';


--
-- Name: COLUMN scopes_to_reread.stream; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.scopes_to_reread.stream IS 'stream';


--
-- Name: COLUMN scopes_to_reread.found_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.scopes_to_reread.found_at IS 'when the difference was found last';


--
-- Name: task_cycle_times; Type: VIEW; Schema: collab; Owner: -
--

CREATE VIEW collab.task_cycle_times AS
 SELECT task.pid,
    task.tid,
    task.name,
    task.entry_id,
    entry.entry_name,
    task.created_at,
    task.first_seen_at,
    task.completed_at,
    task.completed_at_is_sent,
    (task.completed_at - task.created_at) AS cycle_time,
    ((EXTRACT(epoch FROM (task.completed_at - task.created_at)) / (3600)::numeric))::double precision AS cycle_hours,
    task.reopened_count,
    task.deleted_at
   FROM (( SELECT known.pid,
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
                    WHEN (bool_or(known.is_completed) AND (max(known.completed_at) IS NOT NULL)) THEN (array_agg(known.is_sent ORDER BY known.shown_at DESC) FILTER (WHERE (known.shown_at IS NOT NULL)))[1]
                    ELSE NULL::boolean
                END AS completed_at_is_sent,
            ((count(known.shown_at) - (bool_or(known.is_completed))::integer))::integer AS reopened_count,
            max(known.deleted_at) AS deleted_at
           FROM ( SELECT tasks.pid,
                    tasks.tid,
                    tasks.name,
                    tasks.entry_id,
                    tasks.created_at,
                    (tasks.completed IS TRUE) AS is_completed,
                    tasks.deleted_at,
                    NULL::timestamp with time zone AS first_seen_at,
                    NULL::timestamp with time zone AS completed_at,
                    NULL::boolean AS is_sent,
                    NULL::timestamp with time zone AS shown_at
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
                    NULL::timestamp with time zone
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
                    task_completions.shown_at
                   FROM collab.task_completions) known
          GROUP BY known.pid, known.tid) task
     LEFT JOIN ( SELECT entries.pid,
            entries.entry_id,
            entries.name AS entry_name
           FROM collab.entries) entry USING (pid, entry_id));


--
-- Name: VIEW task_cycle_times; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON VIEW collab.task_cycle_times IS 'How long each task took from creation to completion; open tasks and deleted ones too';


--
-- Name: COLUMN task_cycle_times.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_cycle_times.pid IS 'project id';


--
-- Name: COLUMN task_cycle_times.tid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_cycle_times.tid IS 'task id';


--
-- Name: COLUMN task_cycle_times.name; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_cycle_times.name IS 'task name';


--
-- Name: COLUMN task_cycle_times.entry_id; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_cycle_times.entry_id IS 'task group id; null when in none';


--
-- Name: COLUMN task_cycle_times.entry_name; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_cycle_times.entry_name IS 'task group name';


--
-- Name: COLUMN task_cycle_times.created_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_cycle_times.created_at IS 'creation time';


--
-- Name: COLUMN task_cycle_times.first_seen_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_cycle_times.first_seen_at IS 'start of the run that first saw the task';


--
-- Name: COLUMN task_cycle_times.completed_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_cycle_times.completed_at IS 'time of its last completion, as in task_completions; null while it is open, and when the time is not known';


--
-- Name: COLUMN task_cycle_times.completed_at_is_sent; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_cycle_times.completed_at_is_sent IS 'whether completed_at is as sent, not the start of the run that first saw it completed; null without completed_at';


--
-- Name: COLUMN task_cycle_times.cycle_time; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_cycle_times.cycle_time IS 'from created_at to completed_at';


--
-- Name: COLUMN task_cycle_times.cycle_hours; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_cycle_times.cycle_hours IS 'the same in hours';


--
-- Name: COLUMN task_cycle_times.reopened_count; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_cycle_times.reopened_count IS 'how often a run saw it open again that had been completed; reopened and completed again between two runs does not show';


--
-- Name: COLUMN task_cycle_times.deleted_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_cycle_times.deleted_at IS 'start of the run that found it gone; null while it exists';


--
-- Name: task_labels; Type: TABLE; Schema: collab; Owner: -
--

CREATE TABLE collab.task_labels (
    pid text NOT NULL COLLATE pg_catalog."C",
    tid text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    description text,
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone
);


--
-- Name: TABLE task_labels; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON TABLE collab.task_labels IS 'Labels of tasks';


--
-- Name: COLUMN task_labels.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_labels.pid IS 'project id';


--
-- Name: COLUMN task_labels.tid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_labels.tid IS 'task id';


--
-- Name: COLUMN task_labels.name; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_labels.name IS 'label name (a colour word)';


--
-- Name: COLUMN task_labels.description; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_labels.description IS 'label description';


--
-- Name: COLUMN task_labels.extra; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_labels.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN task_labels.valid_from; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_labels.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN task_labels.deleted_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_labels.deleted_at IS 'start of the run that found it gone; null while it exists';


--
-- Name: task_status_daily; Type: VIEW; Schema: collab; Owner: -
--

CREATE VIEW collab.task_status_daily AS
 SELECT pid,
    day,
    (sum(sum(open)) OVER so_far)::bigint AS open,
    (sum(sum(completed)) OVER so_far)::bigint AS completed,
    (sum(sum(archived)) OVER so_far)::bigint AS archived,
    (sum(sum(overdue)) OVER so_far)::bigint AS overdue,
    sum(created) AS created,
    sum(completed_that_day) AS completed_that_day
   FROM ( SELECT project_first_seen.pid,
            (generate_series(date_trunc('day'::text, (project_first_seen.first_seen_at AT TIME ZONE 'UTC'::text)), ( SELECT (max(runs.started_at) AT TIME ZONE 'UTC'::text) AS timezone
                   FROM collab.runs
                  WHERE (runs.status = ANY (ARRAY['succeeded'::text, 'partial'::text]))), '1 day'::interval))::date AS day,
            true AS is_listed,
            0 AS open,
            0 AS completed,
            0 AS archived,
            0 AS overdue,
            0 AS created,
            0 AS completed_that_day
           FROM collab.project_first_seen
        UNION ALL
         SELECT version.pid,
            change_1.day,
            false,
            change_1.open,
            change_1.completed,
            change_1.archived,
            change_1.overdue,
            0,
            0
           FROM (( SELECT version_1.pid,
                    version_1.first_day,
                    version_1.end_day,
                    (((NOT version_1.is_archived) AND (NOT version_1.is_completed)))::integer AS open,
                    (((NOT version_1.is_archived) AND version_1.is_completed))::integer AS completed,
                    (version_1.is_archived)::integer AS archived,
                    GREATEST(version_1.first_day, version_1.due_day) AS overdue_day,
                    (((NOT version_1.is_archived) AND (NOT version_1.is_completed) AND (version_1.due_day IS NOT NULL) AND (version_1.due_day < version_1.end_day)))::integer AS overdue
                   FROM ( SELECT task_versions.pid,
                            ((task_versions.valid_from AT TIME ZONE 'UTC'::text))::date AS first_day,
                            COALESCE(((task_versions.valid_to AT TIME ZONE 'UTC'::text))::date, 'infinity'::date) AS end_day,
                            ((task_versions.due_at AT TIME ZONE 'UTC'::text))::date AS due_day,
                            (task_versions.archived IS TRUE) AS is_archived,
                            (task_versions.completed IS TRUE) AS is_completed
                           FROM collab.task_versions) version_1
                  WHERE (version_1.first_day < version_1.end_day)) version
             CROSS JOIN LATERAL ( VALUES (version.first_day,version.open,version.completed,version.archived,0), (version.end_day,(- version.open),(- version.completed),(- version.archived),(- version.overdue)), (version.overdue_day,0,0,0,version.overdue)) change_1(day, open, completed, archived, overdue))
        UNION ALL
         SELECT tasks.pid,
            ((tasks.created_at AT TIME ZONE 'UTC'::text))::date AS timezone,
            false,
            0,
            0,
            0,
            0,
            1,
            0
           FROM collab.tasks
        UNION ALL
         SELECT task_completions.pid,
            ((task_completions.completed_at AT TIME ZONE 'UTC'::text))::date AS timezone,
            false,
            0,
            0,
            0,
            0,
            0,
            1
           FROM collab.task_completions) change
  GROUP BY pid, day
 HAVING bool_or(is_listed)
  WINDOW so_far AS (PARTITION BY pid ORDER BY day);


--
-- Name: VIEW task_status_daily; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON VIEW collab.task_status_daily IS 'Tasks of each project at the end of each UTC day, from history: from the day the project was first seen to the day of the last finished run, without gaps. Every task that exists is open, completed or archived. Deleted ones count until the day before they were found gone';


--
-- Name: COLUMN task_status_daily.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_status_daily.pid IS 'project id';


--
-- Name: COLUMN task_status_daily.day; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_status_daily.day IS 'UTC day';


--
-- Name: COLUMN task_status_daily.open; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_status_daily.open IS 'tasks neither completed nor archived at the end of the day';


--
-- Name: COLUMN task_status_daily.completed; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_status_daily.completed IS 'tasks completed and not archived at the end of the day';


--
-- Name: COLUMN task_status_daily.archived; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_status_daily.archived IS 'archived tasks at the end of the day, completed or not';


--
-- Name: COLUMN task_status_daily.overdue; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_status_daily.overdue IS 'those of open whose due date is before the end of the day';


--
-- Name: COLUMN task_status_daily.created; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_status_daily.created IS 'tasks whose creation time is on that day, those deleted since too';


--
-- Name: COLUMN task_status_daily.completed_that_day; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_status_daily.completed_that_day IS 'completions on that day, by task_completions.completed_at; a task that was reopened may count again on another day';


--
-- Name: task_todos; Type: TABLE; Schema: collab; Owner: -
--

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


--
-- Name: TABLE task_todos; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON TABLE collab.task_todos IS 'Checklist items of tasks';


--
-- Name: COLUMN task_todos.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_todos.pid IS 'project id';


--
-- Name: COLUMN task_todos.tid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_todos.tid IS 'task id';


--
-- Name: COLUMN task_todos.todo_id; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_todos.todo_id IS 'checklist item id';


--
-- Name: COLUMN task_todos.name; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_todos.name IS 'checklist item name';


--
-- Name: COLUMN task_todos.checked; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_todos.checked IS 'whether it is done';


--
-- Name: COLUMN task_todos."position"; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_todos."position" IS 'position';


--
-- Name: COLUMN task_todos.extra; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_todos.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN task_todos.valid_from; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_todos.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN task_todos.deleted_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_todos.deleted_at IS 'start of the run that found it gone; null while it exists';


--
-- Name: task_watchers; Type: TABLE; Schema: collab; Owner: -
--

CREATE TABLE collab.task_watchers (
    pid text NOT NULL COLLATE pg_catalog."C",
    tid text NOT NULL COLLATE pg_catalog."C",
    uid text NOT NULL COLLATE pg_catalog."C",
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone
);


--
-- Name: TABLE task_watchers; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON TABLE collab.task_watchers IS 'Members watching tasks';


--
-- Name: COLUMN task_watchers.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_watchers.pid IS 'project id';


--
-- Name: COLUMN task_watchers.tid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_watchers.tid IS 'task id';


--
-- Name: COLUMN task_watchers.uid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_watchers.uid IS 'user id';


--
-- Name: COLUMN task_watchers.extra; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_watchers.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN task_watchers.valid_from; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_watchers.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN task_watchers.deleted_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.task_watchers.deleted_at IS 'start of the run that found it gone; null while it exists';


--
-- Name: unread_items; Type: TABLE; Schema: collab; Owner: -
--

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


--
-- Name: TABLE unread_items; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON TABLE collab.unread_items IS 'Items of a scope that a run could not read while it stored the others; rows stored before are kept';


--
-- Name: COLUMN unread_items.run_id; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.unread_items.run_id IS 'run id';


--
-- Name: COLUMN unread_items.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.unread_items.pid IS 'project id; '''' for what belongs to no project';


--
-- Name: COLUMN unread_items.stream; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.unread_items.stream IS 'stream that was read';


--
-- Name: COLUMN unread_items.item_id; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.unread_items.item_id IS 'post or file id; followed by /comments if the item was read but its comments were not';


--
-- Name: COLUMN unread_items.source; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.unread_items.source IS 'where the id comes from: flag, file, page, task, event, comment, post, folder, known (an earlier run) or stored';


--
-- Name: COLUMN unread_items.error_code; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.unread_items.error_code IS 'error code of the service, or a word in capitals';


--
-- Name: COLUMN unread_items.error; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.unread_items.error IS 'why it could not be read';


--
-- Name: COLUMN unread_items.first_failed_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.unread_items.first_failed_at IS 'start of the first of the consecutive runs that could not read it';


--
-- Name: webhook_lists; Type: TABLE; Schema: collab; Owner: -
--

CREATE TABLE collab.webhook_lists (
    wid text NOT NULL COLLATE pg_catalog."C",
    pid text NOT NULL COLLATE pg_catalog."C",
    record jsonb NOT NULL
);


--
-- Name: TABLE webhook_lists; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON TABLE collab.webhook_lists IS 'Which lists of webhooks hold each webhook, as they were last read; webhooks has it once, as the first project that lists it does';


--
-- Name: COLUMN webhook_lists.wid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.webhook_lists.wid IS 'webhook id';


--
-- Name: COLUMN webhook_lists.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.webhook_lists.pid IS 'project whose list it is; '''' for the personal list';


--
-- Name: COLUMN webhook_lists.record; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.webhook_lists.record IS 'the columns of webhooks, as that list has them';


--
-- Name: webhooks; Type: TABLE; Schema: collab; Owner: -
--

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


--
-- Name: TABLE webhooks; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON TABLE collab.webhooks IS 'Webhooks of projects and personal ones';


--
-- Name: COLUMN webhooks.wid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.webhooks.wid IS 'webhook id';


--
-- Name: COLUMN webhooks.pid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.webhooks.pid IS 'project id; null for a personal webhook';


--
-- Name: COLUMN webhooks.uid; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.webhooks.uid IS 'id of the user who set the webhook';


--
-- Name: COLUMN webhooks.name; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.webhooks.name IS 'webhook name';


--
-- Name: COLUMN webhooks.url; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.webhooks.url IS 'target URL';


--
-- Name: COLUMN webhooks.actions; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.webhooks.actions IS 'event kinds of a project webhook';


--
-- Name: COLUMN webhooks.is_every; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.webhooks.is_every IS 'whether it is sent every event';


--
-- Name: COLUMN webhooks.type; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.webhooks.type IS 'kind: 0 = project webhook, 1 = personal webhook';


--
-- Name: COLUMN webhooks.created_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.webhooks.created_at IS 'creation time';


--
-- Name: COLUMN webhooks.updated_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.webhooks.updated_at IS 'update time';


--
-- Name: COLUMN webhooks.extra; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.webhooks.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN webhooks.valid_from; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.webhooks.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN webhooks.deleted_at; Type: COMMENT; Schema: collab; Owner: -
--

COMMENT ON COLUMN collab.webhooks.deleted_at IS 'start of the run that found it gone; null while it exists';


--
-- Name: comment_files; Type: TABLE; Schema: collab_history; Owner: -
--

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


--
-- Name: TABLE comment_files; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON TABLE collab_history.comment_files IS 'Versions of comment_files that were superseded or deleted';


--
-- Name: COLUMN comment_files.pid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.comment_files.pid IS 'project id';


--
-- Name: COLUMN comment_files.cid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.comment_files.cid IS 'comment id';


--
-- Name: COLUMN comment_files.fid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.comment_files.fid IS 'file id';


--
-- Name: COLUMN comment_files.name; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.comment_files.name IS 'file name';


--
-- Name: COLUMN comment_files.description; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.comment_files.description IS 'file description';


--
-- Name: COLUMN comment_files.size_bytes; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.comment_files.size_bytes IS 'size in bytes';


--
-- Name: COLUMN comment_files.path; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.comment_files.path IS 'file path';


--
-- Name: COLUMN comment_files.folder_id; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.comment_files.folder_id IS 'containing folder id; null at the top';


--
-- Name: COLUMN comment_files.extra; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.comment_files.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN comment_files.valid_from; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.comment_files.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN comment_files.valid_to; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.comment_files.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';


--
-- Name: COLUMN comment_files.parent_kind; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.comment_files.parent_kind IS 'what was commented on: post or file';


--
-- Name: COLUMN comment_files.parent_id; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.comment_files.parent_id IS 'post or file id, by parent_kind';


--
-- Name: entries; Type: TABLE; Schema: collab_history; Owner: -
--

CREATE TABLE collab_history.entries (
    pid text NOT NULL COLLATE pg_catalog."C",
    entry_id text NOT NULL COLLATE pg_catalog."C",
    name text,
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone NOT NULL
);


--
-- Name: TABLE entries; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON TABLE collab_history.entries IS 'Versions of entries that were superseded or deleted';


--
-- Name: COLUMN entries.pid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.entries.pid IS 'project id';


--
-- Name: COLUMN entries.entry_id; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.entries.entry_id IS 'task group id';


--
-- Name: COLUMN entries.name; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.entries.name IS 'task group name';


--
-- Name: COLUMN entries.extra; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.entries.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN entries.valid_from; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.entries.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN entries.valid_to; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.entries.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';


--
-- Name: event_attendees; Type: TABLE; Schema: collab_history; Owner: -
--

CREATE TABLE collab_history.event_attendees (
    pid text NOT NULL COLLATE pg_catalog."C",
    event_id text NOT NULL COLLATE pg_catalog."C",
    uid text NOT NULL COLLATE pg_catalog."C",
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone NOT NULL,
    starts_at timestamp with time zone NOT NULL
);


--
-- Name: TABLE event_attendees; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON TABLE collab_history.event_attendees IS 'Versions of event_attendees that were superseded or deleted';


--
-- Name: COLUMN event_attendees.pid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.event_attendees.pid IS 'project id';


--
-- Name: COLUMN event_attendees.event_id; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.event_attendees.event_id IS 'event id';


--
-- Name: COLUMN event_attendees.uid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.event_attendees.uid IS 'user id';


--
-- Name: COLUMN event_attendees.extra; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.event_attendees.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN event_attendees.valid_from; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.event_attendees.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN event_attendees.valid_to; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.event_attendees.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';


--
-- Name: COLUMN event_attendees.starts_at; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.event_attendees.starts_at IS 'start time of the occurrence';


--
-- Name: events; Type: TABLE; Schema: collab_history; Owner: -
--

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


--
-- Name: TABLE events; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON TABLE collab_history.events IS 'Versions of events that were superseded or deleted';


--
-- Name: COLUMN events.pid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.events.pid IS 'project id';


--
-- Name: COLUMN events.event_id; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.events.event_id IS 'event id';


--
-- Name: COLUMN events.starts_at; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.events.starts_at IS 'start time';


--
-- Name: COLUMN events.ends_at; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.events.ends_at IS 'end time';


--
-- Name: COLUMN events.name; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.events.name IS 'event content';


--
-- Name: COLUMN events.summary; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.events.summary IS 'event description';


--
-- Name: COLUMN events.location; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.events.location IS 'place; null when the service leaves it out';


--
-- Name: COLUMN events.email; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.events.email IS 'e-mail of the user; null when the service leaves it out';


--
-- Name: COLUMN events.description; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.events.description IS 'description of the user; null when the service leaves it out';


--
-- Name: COLUMN events.recurrence; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.events.recurrence IS 'how it recurs: 0 = not, 1 = daily, 2 = weekly, 3 = monthly, 4 = yearly';


--
-- Name: COLUMN events.extra; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.events.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN events.valid_from; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.events.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN events.valid_to; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.events.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';


--
-- Name: file_comments; Type: TABLE; Schema: collab_history; Owner: -
--

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


--
-- Name: TABLE file_comments; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON TABLE collab_history.file_comments IS 'Versions of file_comments that were superseded or deleted';


--
-- Name: COLUMN file_comments.pid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.file_comments.pid IS 'project id';


--
-- Name: COLUMN file_comments.fid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.file_comments.fid IS 'file id';


--
-- Name: COLUMN file_comments.cid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.file_comments.cid IS 'comment id';


--
-- Name: COLUMN file_comments.message; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.file_comments.message IS 'content';


--
-- Name: COLUMN file_comments.raw_message; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.file_comments.raw_message IS 'content in markdown';


--
-- Name: COLUMN file_comments.type; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.file_comments.type IS 'kind of content: 1 = text, 2 = emotion, 3 = audio';


--
-- Name: COLUMN file_comments.format; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.file_comments.format IS 'format of the content: 1 = text, 2 = html';


--
-- Name: COLUMN file_comments.owner_uid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.file_comments.owner_uid IS 'user id of the author';


--
-- Name: COLUMN file_comments.created_at; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.file_comments.created_at IS 'comment time';


--
-- Name: COLUMN file_comments.extra; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.file_comments.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN file_comments.valid_from; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.file_comments.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN file_comments.valid_to; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.file_comments.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';


--
-- Name: file_watchers; Type: TABLE; Schema: collab_history; Owner: -
--

CREATE TABLE collab_history.file_watchers (
    pid text NOT NULL COLLATE pg_catalog."C",
    fid text NOT NULL COLLATE pg_catalog."C",
    uid text NOT NULL COLLATE pg_catalog."C",
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone NOT NULL
);


--
-- Name: TABLE file_watchers; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON TABLE collab_history.file_watchers IS 'Versions of file_watchers that were superseded or deleted';


--
-- Name: COLUMN file_watchers.pid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.file_watchers.pid IS 'project id';


--
-- Name: COLUMN file_watchers.fid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.file_watchers.fid IS 'file id';


--
-- Name: COLUMN file_watchers.uid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.file_watchers.uid IS 'user id';


--
-- Name: COLUMN file_watchers.extra; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.file_watchers.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN file_watchers.valid_from; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.file_watchers.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN file_watchers.valid_to; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.file_watchers.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';


--
-- Name: files; Type: TABLE; Schema: collab_history; Owner: -
--

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


--
-- Name: TABLE files; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON TABLE collab_history.files IS 'Versions of files that were superseded or deleted';


--
-- Name: COLUMN files.pid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.files.pid IS 'project id';


--
-- Name: COLUMN files.fid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.files.fid IS 'file id';


--
-- Name: COLUMN files.name; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.files.name IS 'name';


--
-- Name: COLUMN files.description; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.files.description IS 'description';


--
-- Name: COLUMN files.size_bytes; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.files.size_bytes IS 'size in bytes';


--
-- Name: COLUMN files.path; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.files.path IS 'path';


--
-- Name: COLUMN files.folder_id; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.files.folder_id IS 'parent folder id; null at the top';


--
-- Name: COLUMN files.type; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.files.type IS 'kind: 0 = file, 1 = folder';


--
-- Name: COLUMN files.created_at; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.files.created_at IS 'upload time';


--
-- Name: COLUMN files.updated_at; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.files.updated_at IS 'update time';


--
-- Name: COLUMN files.owner_uid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.files.owner_uid IS 'user id of the uploader';


--
-- Name: COLUMN files.extra; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.files.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN files.valid_from; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.files.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN files.valid_to; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.files.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';


--
-- Name: page_watchers; Type: TABLE; Schema: collab_history; Owner: -
--

CREATE TABLE collab_history.page_watchers (
    pid text NOT NULL COLLATE pg_catalog."C",
    page_id text NOT NULL COLLATE pg_catalog."C",
    uid text NOT NULL COLLATE pg_catalog."C",
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone NOT NULL
);


--
-- Name: TABLE page_watchers; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON TABLE collab_history.page_watchers IS 'Versions of page_watchers that were superseded or deleted';


--
-- Name: COLUMN page_watchers.pid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.page_watchers.pid IS 'project id';


--
-- Name: COLUMN page_watchers.page_id; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.page_watchers.page_id IS 'document id';


--
-- Name: COLUMN page_watchers.uid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.page_watchers.uid IS 'user id';


--
-- Name: COLUMN page_watchers.extra; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.page_watchers.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN page_watchers.valid_from; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.page_watchers.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN page_watchers.valid_to; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.page_watchers.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';


--
-- Name: post_comments; Type: TABLE; Schema: collab_history; Owner: -
--

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


--
-- Name: TABLE post_comments; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON TABLE collab_history.post_comments IS 'Versions of post_comments that were superseded or deleted';


--
-- Name: COLUMN post_comments.pid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.post_comments.pid IS 'project id';


--
-- Name: COLUMN post_comments.post_id; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.post_comments.post_id IS 'post id';


--
-- Name: COLUMN post_comments.cid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.post_comments.cid IS 'comment id';


--
-- Name: COLUMN post_comments.message; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.post_comments.message IS 'content';


--
-- Name: COLUMN post_comments.raw_message; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.post_comments.raw_message IS 'content in markdown';


--
-- Name: COLUMN post_comments.type; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.post_comments.type IS 'kind of content: 1 = text, 2 = emotion, 3 = audio';


--
-- Name: COLUMN post_comments.format; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.post_comments.format IS 'format of the content: 1 = text, 2 = html';


--
-- Name: COLUMN post_comments.owner_uid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.post_comments.owner_uid IS 'user id of the author';


--
-- Name: COLUMN post_comments.created_at; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.post_comments.created_at IS 'comment time';


--
-- Name: COLUMN post_comments.extra; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.post_comments.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN post_comments.valid_from; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.post_comments.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN post_comments.valid_to; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.post_comments.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';


--
-- Name: post_watchers; Type: TABLE; Schema: collab_history; Owner: -
--

CREATE TABLE collab_history.post_watchers (
    pid text NOT NULL COLLATE pg_catalog."C",
    post_id text NOT NULL COLLATE pg_catalog."C",
    uid text NOT NULL COLLATE pg_catalog."C",
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone NOT NULL
);


--
-- Name: TABLE post_watchers; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON TABLE collab_history.post_watchers IS 'Versions of post_watchers that were superseded or deleted';


--
-- Name: COLUMN post_watchers.pid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.post_watchers.pid IS 'project id';


--
-- Name: COLUMN post_watchers.post_id; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.post_watchers.post_id IS 'post id';


--
-- Name: COLUMN post_watchers.uid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.post_watchers.uid IS 'user id';


--
-- Name: COLUMN post_watchers.extra; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.post_watchers.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN post_watchers.valid_from; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.post_watchers.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN post_watchers.valid_to; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.post_watchers.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';


--
-- Name: project_labels; Type: TABLE; Schema: collab_history; Owner: -
--

CREATE TABLE collab_history.project_labels (
    pid text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    description text,
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone NOT NULL
);


--
-- Name: TABLE project_labels; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON TABLE collab_history.project_labels IS 'Versions of project_labels that were superseded or deleted';


--
-- Name: COLUMN project_labels.pid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.project_labels.pid IS 'project id';


--
-- Name: COLUMN project_labels.name; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.project_labels.name IS 'label name (a colour word)';


--
-- Name: COLUMN project_labels.description; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.project_labels.description IS 'label description';


--
-- Name: COLUMN project_labels.extra; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.project_labels.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN project_labels.valid_from; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.project_labels.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN project_labels.valid_to; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.project_labels.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';


--
-- Name: task_labels; Type: TABLE; Schema: collab_history; Owner: -
--

CREATE TABLE collab_history.task_labels (
    pid text NOT NULL COLLATE pg_catalog."C",
    tid text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    description text,
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone NOT NULL
);


--
-- Name: TABLE task_labels; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON TABLE collab_history.task_labels IS 'Versions of task_labels that were superseded or deleted';


--
-- Name: COLUMN task_labels.pid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.task_labels.pid IS 'project id';


--
-- Name: COLUMN task_labels.tid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.task_labels.tid IS 'task id';


--
-- Name: COLUMN task_labels.name; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.task_labels.name IS 'label name (a colour word)';


--
-- Name: COLUMN task_labels.description; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.task_labels.description IS 'label description';


--
-- Name: COLUMN task_labels.extra; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.task_labels.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN task_labels.valid_from; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.task_labels.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN task_labels.valid_to; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.task_labels.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';


--
-- Name: task_members; Type: TABLE; Schema: collab_history; Owner: -
--

CREATE TABLE collab_history.task_members (
    pid text NOT NULL COLLATE pg_catalog."C",
    tid text NOT NULL COLLATE pg_catalog."C",
    uid text NOT NULL COLLATE pg_catalog."C",
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone NOT NULL
);


--
-- Name: TABLE task_members; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON TABLE collab_history.task_members IS 'Versions of task_members that were superseded or deleted';


--
-- Name: COLUMN task_members.pid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.task_members.pid IS 'project id';


--
-- Name: COLUMN task_members.tid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.task_members.tid IS 'task id';


--
-- Name: COLUMN task_members.uid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.task_members.uid IS 'user id';


--
-- Name: COLUMN task_members.extra; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.task_members.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN task_members.valid_from; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.task_members.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN task_members.valid_to; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.task_members.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';


--
-- Name: task_todos; Type: TABLE; Schema: collab_history; Owner: -
--

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


--
-- Name: TABLE task_todos; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON TABLE collab_history.task_todos IS 'Versions of task_todos that were superseded or deleted';


--
-- Name: COLUMN task_todos.pid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.task_todos.pid IS 'project id';


--
-- Name: COLUMN task_todos.tid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.task_todos.tid IS 'task id';


--
-- Name: COLUMN task_todos.todo_id; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.task_todos.todo_id IS 'checklist item id';


--
-- Name: COLUMN task_todos.name; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.task_todos.name IS 'checklist item name';


--
-- Name: COLUMN task_todos.checked; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.task_todos.checked IS 'whether it is done';


--
-- Name: COLUMN task_todos."position"; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.task_todos."position" IS 'position';


--
-- Name: COLUMN task_todos.extra; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.task_todos.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN task_todos.valid_from; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.task_todos.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN task_todos.valid_to; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.task_todos.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';


--
-- Name: task_watchers; Type: TABLE; Schema: collab_history; Owner: -
--

CREATE TABLE collab_history.task_watchers (
    pid text NOT NULL COLLATE pg_catalog."C",
    tid text NOT NULL COLLATE pg_catalog."C",
    uid text NOT NULL COLLATE pg_catalog."C",
    extra jsonb,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone NOT NULL
);


--
-- Name: TABLE task_watchers; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON TABLE collab_history.task_watchers IS 'Versions of task_watchers that were superseded or deleted';


--
-- Name: COLUMN task_watchers.pid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.task_watchers.pid IS 'project id';


--
-- Name: COLUMN task_watchers.tid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.task_watchers.tid IS 'task id';


--
-- Name: COLUMN task_watchers.uid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.task_watchers.uid IS 'user id';


--
-- Name: COLUMN task_watchers.extra; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.task_watchers.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN task_watchers.valid_from; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.task_watchers.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN task_watchers.valid_to; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.task_watchers.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';


--
-- Name: users; Type: TABLE; Schema: collab_history; Owner: -
--

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


--
-- Name: TABLE users; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON TABLE collab_history.users IS 'Versions of users that were superseded or deleted';


--
-- Name: COLUMN users.uid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.users.uid IS 'user id';


--
-- Name: COLUMN users.name; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.users.name IS 'user name';


--
-- Name: COLUMN users.display_name; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.users.display_name IS 'nickname';


--
-- Name: COLUMN users.avatar; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.users.avatar IS 'avatar file name';


--
-- Name: COLUMN users.description; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.users.description IS 'user description (may be empty)';


--
-- Name: COLUMN users.status; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.users.status IS 'state of the account: 1 = normal, 2 = invited, 3 = needs e-mail confirmation';


--
-- Name: COLUMN users.online; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.users.online IS 'presence when last read: 0 = offline, 1 = online, 2 = busy, 3 = away';


--
-- Name: COLUMN users.extra; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.users.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN users.valid_from; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.users.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN users.valid_to; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.users.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';


--
-- Name: webhooks; Type: TABLE; Schema: collab_history; Owner: -
--

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


--
-- Name: TABLE webhooks; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON TABLE collab_history.webhooks IS 'Versions of webhooks that were superseded or deleted';


--
-- Name: COLUMN webhooks.wid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.webhooks.wid IS 'webhook id';


--
-- Name: COLUMN webhooks.pid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.webhooks.pid IS 'project id; null for a personal webhook';


--
-- Name: COLUMN webhooks.uid; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.webhooks.uid IS 'id of the user who set the webhook';


--
-- Name: COLUMN webhooks.name; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.webhooks.name IS 'webhook name';


--
-- Name: COLUMN webhooks.url; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.webhooks.url IS 'target URL';


--
-- Name: COLUMN webhooks.actions; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.webhooks.actions IS 'event kinds of a project webhook';


--
-- Name: COLUMN webhooks.is_every; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.webhooks.is_every IS 'whether it is sent every event';


--
-- Name: COLUMN webhooks.type; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.webhooks.type IS 'kind: 0 = project webhook, 1 = personal webhook';


--
-- Name: COLUMN webhooks.created_at; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.webhooks.created_at IS 'creation time';


--
-- Name: COLUMN webhooks.updated_at; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.webhooks.updated_at IS 'update time';


--
-- Name: COLUMN webhooks.extra; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.webhooks.extra IS 'fields the service sent and no column holds; null when there are none';


--
-- Name: COLUMN webhooks.valid_from; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.webhooks.valid_from IS 'start of the run that first saw this version';


--
-- Name: COLUMN webhooks.valid_to; Type: COMMENT; Schema: collab_history; Owner: -
--

COMMENT ON COLUMN collab_history.webhooks.valid_to IS 'start of the run that first saw it changed or gone; the version held until just before';


--
-- Data for Name: comment_files; Type: TABLE DATA; Schema: collab; Owner: -
--

INSERT INTO collab.comment_files VALUES ('21a54b047da1e4e65ed701a6', 'ea0b05be09bce0291633de83', 'a3fec85787088e0ef91a64fe', 'budget (final) v2.xlsx', '', 3850963, '/21a54b047da1e4e65ed701a6/budget (final) v2.xlsx', NULL, NULL, '2026-11-23 12:30:02.329+00', NULL, 'post', '084e246d7ffcf8e31a600a3b');
INSERT INTO collab.comment_files VALUES ('21a54b047da1e4e65ed701a6', 'ea0b05be09bce0291633de83', 'ed3a364d1dbd2f768a6fdac3', '截图 1.png', '', 7, '/21a54b047da1e4e65ed701a6/截图 1.png', NULL, NULL, '2026-11-23 12:30:02.329+00', NULL, 'post', '084e246d7ffcf8e31a600a3b');
INSERT INTO collab.comment_files VALUES ('e1b2c20072a332bb29767473', 'f91d74cbe08255ff34eb41cc', 'a6d45b7bbc84545a06a4b084', 'report.pdf', '', 11689, '/e1b2c20072a332bb29767473/report.pdf', NULL, NULL, '2026-11-23 12:30:02.329+00', NULL, 'file', '6d23ba9d22802bd40c016c53');
INSERT INTO collab.comment_files VALUES ('e1b2c20072a332bb29767473', 'e306d29ff5f60b05101c0eaa', 'da13ccc7bcc16becfb5ac78b', '截图 1.png', '', 21, '/e1b2c20072a332bb29767473/2026/截图 1.png', 'c89515cd774754d00d2963a5', NULL, '2026-11-23 12:30:02.329+00', NULL, 'post', '85902403c02b1e75d11aea67');
INSERT INTO collab.comment_files VALUES ('e1b2c20072a332bb29767473', 'e638a2fd839cd7dc70be2fd6', '6d23ba9d22802bd40c016c53', 'notes.txt', '', 363220, '/e1b2c20072a332bb29767473/notes.txt', NULL, NULL, '2026-11-23 12:30:02.329+00', NULL, 'post', '85902403c02b1e75d11aea67');
INSERT INTO collab.comment_files VALUES ('e1b2c20072a332bb29767473', 'b569c325852935e65fbaf583', 'a743b95e3393e11f84ec44b7', 'budget (final) v2.xlsx', 'nightly backups', 22046, '/e1b2c20072a332bb29767473/budget (final) v2.xlsx', NULL, NULL, '2026-11-23 12:30:02.329+00', NULL, 'post', '89d92697a40d98c667479fa4');
INSERT INTO collab.comment_files VALUES ('e1b2c20072a332bb29767473', '2d3d020f6ecf18b81477a776', 'e8781e89a9f220cd0a0cf5b5', '議事録.md', '', 73, '/e1b2c20072a332bb29767473/2026/議事録.md', 'c89515cd774754d00d2963a5', NULL, '2026-11-23 12:30:02.329+00', NULL, 'post', 'd9f4e558d33a8754e902b1c9');


--
-- Data for Name: entries; Type: TABLE DATA; Schema: collab; Owner: -
--

INSERT INTO collab.entries VALUES ('21a54b047da1e4e65ed701a6', '568cce4d1eea209a840452dd', '已完成', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.entries VALUES ('21a54b047da1e4e65ed701a6', '7c25198295bf24e6438b1453', '测试中', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.entries VALUES ('21a54b047da1e4e65ed701a6', 'cfba98345470c6f64d69ac97', '待处理', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.entries VALUES ('21a54b047da1e4e65ed701a6', 'f8e26c6e272a046a383e5ac1', '进行中', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.entries VALUES ('e1b2c20072a332bb29767473', '1a748faa2dd2d72ae3f5fd31', 'Done', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.entries VALUES ('e1b2c20072a332bb29767473', 'c8ba206d0be9c0d197ad3bd0', 'In progress', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.entries VALUES ('e1b2c20072a332bb29767473', 'dacae2e594326703125b6b5b', 'In review', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.entries VALUES ('e1b2c20072a332bb29767473', 'de80a4b467a7681a37853752', 'Backlog', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.entries VALUES ('e1b2c20072a332bb29767473', 'ef2e50a8a3cb39194e8fc9b8', 'Ideas 💡', NULL, '2026-11-23 12:30:02.329+00', NULL);


--
-- Data for Name: event_attendees; Type: TABLE DATA; Schema: collab; Owner: -
--

INSERT INTO collab.event_attendees VALUES ('21a54b047da1e4e65ed701a6', '4794f0f1527c62f749d5438a', '5e6b99b856bb4eaf981f7ae4', NULL, '2026-11-23 12:30:02.329+00', NULL, '2026-06-15 08:00:00+00');
INSERT INTO collab.event_attendees VALUES ('21a54b047da1e4e65ed701a6', 'c0d93adb8ab63dcaca8aac97', '8df2fced53d971f052170658', NULL, '2026-11-23 12:30:02.329+00', NULL, '2022-10-31 15:00:00+00');
INSERT INTO collab.event_attendees VALUES ('e1b2c20072a332bb29767473', '5321ef90e58cbd25a4f33bab', '746c9874c0efb1d0f30c396d', NULL, '2026-11-23 12:30:02.329+00', NULL, '2025-07-12 07:30:00+00');
INSERT INTO collab.event_attendees VALUES ('e1b2c20072a332bb29767473', 'b19e8f65ff0808315c8d0987', '317dae876fa070ea90562758', NULL, '2026-11-23 12:30:02.329+00', NULL, '2021-08-11 09:30:00+00');
INSERT INTO collab.event_attendees VALUES ('e1b2c20072a332bb29767473', 'b19e8f65ff0808315c8d0987', '9e8f85d9786e0a9414823b1c', NULL, '2026-11-23 12:30:02.329+00', NULL, '2021-08-11 09:30:00+00');
INSERT INTO collab.event_attendees VALUES ('e1b2c20072a332bb29767473', 'ef9ee8cceb1255672e2e36e7', '233def59b51c5f467b5abfff', NULL, '2026-11-23 12:30:02.329+00', '2026-11-23 12:30:04.442+00', '2026-06-15 11:30:00+00');
INSERT INTO collab.event_attendees VALUES ('e1b2c20072a332bb29767473', 'ef9ee8cceb1255672e2e36e7', '317dae876fa070ea90562758', NULL, '2026-11-23 12:30:02.329+00', '2026-11-23 12:30:04.442+00', '2026-06-15 11:30:00+00');
INSERT INTO collab.event_attendees VALUES ('e1b2c20072a332bb29767473', 'ef9ee8cceb1255672e2e36e7', '480b9d30249b7b5fc28f87bd', NULL, '2026-11-23 12:30:02.329+00', '2026-11-23 12:30:04.442+00', '2026-06-15 11:30:00+00');
INSERT INTO collab.event_attendees VALUES ('e1b2c20072a332bb29767473', 'ef9ee8cceb1255672e2e36e7', '5e6b99b856bb4eaf981f7ae4', NULL, '2026-11-23 12:30:02.329+00', '2026-11-23 12:30:04.442+00', '2026-06-15 11:30:00+00');
INSERT INTO collab.event_attendees VALUES ('e1b2c20072a332bb29767473', 'ef9ee8cceb1255672e2e36e7', '9820e679546b31620f3f1a7d', NULL, '2026-11-23 12:30:02.329+00', '2026-11-23 12:30:04.442+00', '2026-06-15 11:30:00+00');


--
-- Data for Name: events; Type: TABLE DATA; Schema: collab; Owner: -
--

INSERT INTO collab.events VALUES ('21a54b047da1e4e65ed701a6', '4794f0f1527c62f749d5438a', '2026-06-15 08:00:00+00', '2026-06-15 10:00:00+00', '团队建设', '请各位在周五下班前完成自测，并把结果填写到表格里。 测试环境已经部署完成，账号密码见内部文档。', '苏州研发中心', NULL, NULL, 0, NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.events VALUES ('21a54b047da1e4e65ed701a6', 'c0d93adb8ab63dcaca8aac97', '2022-10-31 15:00:00+00', '2022-10-31 16:00:00+00', '技术分享', '', NULL, NULL, NULL, 3, NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.events VALUES ('e1b2c20072a332bb29767473', '118da1c467fe2faa2816d69b', '2015-02-16 12:00:00+00', '2015-02-16 15:00:00+00', 'Sprint planning', 'Latency went from 480 ms to 95 ms, which is better than we hoped for. This follows from https://collab.example/project/e1b2c20072a332bb29767473/posts/d9f4e558d33a8754e902b1c9.', 'Online', NULL, NULL, 2, NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.events VALUES ('e1b2c20072a332bb29767473', '5321ef90e58cbd25a4f33bab', '2025-07-12 07:30:00+00', '2025-07-12 11:00:00+00', 'Quarterly review', 'We agreed to ship the smallest thing that helps and to look at the numbers after a week.', 'Room Ada', NULL, NULL, 1, NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.events VALUES ('e1b2c20072a332bb29767473', 'b19e8f65ff0808315c8d0987', '2021-08-11 09:30:00+00', '2021-08-11 13:30:00+00', 'Demo day 🎉', 'If in doubt, ask in the channel before you merge. If in doubt, ask in the channel before you merge.', 'Café Central', NULL, NULL, 2, NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.events VALUES ('e1b2c20072a332bb29767473', 'ef9ee8cceb1255672e2e36e7', '2026-06-15 11:30:00+00', '2026-06-15 13:00:00+00', 'Demo day 🎉', '', NULL, NULL, NULL, 2, NULL, '2026-11-23 12:30:02.329+00', '2026-11-23 12:30:04.442+00');


--
-- Data for Name: file_comments; Type: TABLE DATA; Schema: collab; Owner: -
--

INSERT INTO collab.file_comments VALUES ('21a54b047da1e4e65ed701a6', 'a3fec85787088e0ef91a64fe', '559d6158d6438050ffee2cb0', '这个方案可以。', '这个方案可以。', 1, 1, 'f7581dccc68d1c884570ca86', '2024-06-24 09:04:14.15+00', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.file_comments VALUES ('21a54b047da1e4e65ed701a6', 'a3fec85787088e0ef91a64fe', 'cf9cf41989a2002a4a44a35b', '', '', 3, 1, '7a109e98eb57a0755740f719', '2025-08-02 12:47:28.854+00', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.file_comments VALUES ('e1b2c20072a332bb29767473', '6d23ba9d22802bd40c016c53', 'e4f25281954c094254f52d35', 'Could we wait until Monday?', 'Could we wait until Monday?', 1, 1, '6d19fa6af86896ae5cc854d6', '2026-05-20 23:37:30.801+00', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.file_comments VALUES ('e1b2c20072a332bb29767473', '6d23ba9d22802bd40c016c53', 'f91d74cbe08255ff34eb41cc', 'Done, please check.', 'Done, please check.', 1, 1, '5da80d8d5e77c921833f9675', '2024-08-06 04:29:43.553+00', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.file_comments VALUES ('e1b2c20072a332bb29767473', 'a6d45b7bbc84545a06a4b084', '8ad7c97561185d972c3a14a6', '<p>Attached is the latest version.</p>', 'Attached is the latest version.', 1, 2, '5e6b99b856bb4eaf981f7ae4', '2023-09-09 05:55:24.174+00', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.file_comments VALUES ('e1b2c20072a332bb29767473', 'a743b95e3393e11f84ec44b7', '35055165349b5035d86929b4', '', '', 3, 1, '311b83d1b9b73ba2aa07818e', '2024-11-04 13:40:55.246+00', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.file_comments VALUES ('e1b2c20072a332bb29767473', 'c89515cd774754d00d2963a5', 'f5f2331c461dd77046c68fce', 'I can take this one.', 'I can take this one.', 1, 1, '746c9874c0efb1d0f30c396d', '2022-01-03 14:40:23.774+00', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.file_comments VALUES ('e1b2c20072a332bb29767473', 'da13ccc7bcc16becfb5ac78b', '27adfa2feb2f4497314f8504', '', '', 3, 1, '233def59b51c5f467b5abfff', '2024-04-10 22:35:17.061+00', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.file_comments VALUES ('e1b2c20072a332bb29767473', 'da13ccc7bcc16becfb5ac78b', '3b9d5b5ce3da6f5954588182', 'Done, please check.', 'Done, please check.', 1, 1, '6d19fa6af86896ae5cc854d6', '2024-08-18 15:17:26.578+00', NULL, '2026-11-23 12:30:02.329+00', NULL);


--
-- Data for Name: file_watchers; Type: TABLE DATA; Schema: collab; Owner: -
--

INSERT INTO collab.file_watchers VALUES ('21a54b047da1e4e65ed701a6', 'a3fec85787088e0ef91a64fe', '5e6b99b856bb4eaf981f7ae4', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.file_watchers VALUES ('e1b2c20072a332bb29767473', '6d23ba9d22802bd40c016c53', '5da80d8d5e77c921833f9675', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.file_watchers VALUES ('e1b2c20072a332bb29767473', 'a743b95e3393e11f84ec44b7', '480b9d30249b7b5fc28f87bd', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.file_watchers VALUES ('e1b2c20072a332bb29767473', 'e8781e89a9f220cd0a0cf5b5', '317dae876fa070ea90562758', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.file_watchers VALUES ('e1b2c20072a332bb29767473', 'e8781e89a9f220cd0a0cf5b5', '5e6b99b856bb4eaf981f7ae4', NULL, '2026-11-23 12:30:02.329+00', NULL);


--
-- Data for Name: files; Type: TABLE DATA; Schema: collab; Owner: -
--

INSERT INTO collab.files VALUES ('21a54b047da1e4e65ed701a6', 'a3fec85787088e0ef91a64fe', 'budget (final) v2.xlsx', '', 3850963, '/21a54b047da1e4e65ed701a6/budget (final) v2.xlsx', NULL, 0, '2023-10-18 15:07:53.026+00', '2025-02-23 17:03:24.163+00', 'a65668dce93e79d5fe716a94', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.files VALUES ('21a54b047da1e4e65ed701a6', 'ed3a364d1dbd2f768a6fdac3', '截图 1.png', '', 7, '/21a54b047da1e4e65ed701a6/截图 1.png', NULL, 0, '2020-03-08 14:35:34.565+00', '2020-06-22 19:51:05.848+00', 'f631d3b2cbc23dbcc8dff60d', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.files VALUES ('e1b2c20072a332bb29767473', '6d23ba9d22802bd40c016c53', 'notes.txt', '', 363220, '/e1b2c20072a332bb29767473/notes.txt', NULL, 0, '2024-05-21 22:23:22.812+00', '2024-06-11 04:51:54.822+00', '480b9d30249b7b5fc28f87bd', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.files VALUES ('e1b2c20072a332bb29767473', 'a6d45b7bbc84545a06a4b084', 'report.pdf', '', 11689, '/e1b2c20072a332bb29767473/report.pdf', NULL, 0, '2020-02-22 01:19:59.91+00', '2020-05-05 00:44:24.706+00', '9e8f85d9786e0a9414823b1c', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.files VALUES ('e1b2c20072a332bb29767473', 'a743b95e3393e11f84ec44b7', 'budget (final) v2.xlsx', 'nightly backups', 22046, '/e1b2c20072a332bb29767473/budget (final) v2.xlsx', NULL, 0, '2023-02-27 23:09:37.616+00', '2025-01-22 20:49:41.369+00', '746c9874c0efb1d0f30c396d', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.files VALUES ('e1b2c20072a332bb29767473', 'c89515cd774754d00d2963a5', '2026', '', 0, '/e1b2c20072a332bb29767473/2026', NULL, 1, '2021-07-20 11:11:08.825+00', '2024-10-26 18:33:52.219+00', '5da80d8d5e77c921833f9675', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.files VALUES ('e1b2c20072a332bb29767473', 'da13ccc7bcc16becfb5ac78b', '截图 1.png', '', 21, '/e1b2c20072a332bb29767473/2026/截图 1.png', 'c89515cd774754d00d2963a5', 0, '2024-04-10 22:20:14.896+00', '2026-03-24 22:03:26.436+00', '746c9874c0efb1d0f30c396d', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.files VALUES ('e1b2c20072a332bb29767473', 'e8781e89a9f220cd0a0cf5b5', '議事録.md', '', 73, '/e1b2c20072a332bb29767473/2026/議事録.md', 'c89515cd774754d00d2963a5', 0, '2020-10-05 06:34:44.678+00', '2020-10-28 23:44:26.406+00', '317dae876fa070ea90562758', NULL, '2026-11-23 12:30:02.329+00', NULL);


--
-- Data for Name: known_files; Type: TABLE DATA; Schema: collab; Owner: -
--

INSERT INTO collab.known_files VALUES ('21a54b047da1e4e65ed701a6', 'a3fec85787088e0ef91a64fe', 'comment', '2026-11-23 12:30:02.329+00', 0, NULL, false);
INSERT INTO collab.known_files VALUES ('21a54b047da1e4e65ed701a6', 'ed3a364d1dbd2f768a6fdac3', 'comment', '2026-11-23 12:30:02.329+00', 0, NULL, false);
INSERT INTO collab.known_files VALUES ('e1b2c20072a332bb29767473', '6d23ba9d22802bd40c016c53', 'comment', '2026-11-23 12:30:02.329+00', 0, NULL, false);
INSERT INTO collab.known_files VALUES ('e1b2c20072a332bb29767473', 'a6d45b7bbc84545a06a4b084', 'comment', '2026-11-23 12:30:02.329+00', 0, NULL, false);
INSERT INTO collab.known_files VALUES ('e1b2c20072a332bb29767473', 'a743b95e3393e11f84ec44b7', 'comment', '2026-11-23 12:30:02.329+00', 0, NULL, false);
INSERT INTO collab.known_files VALUES ('e1b2c20072a332bb29767473', 'c89515cd774754d00d2963a5', 'folder', '2026-11-23 12:30:02.329+00', 0, NULL, false);
INSERT INTO collab.known_files VALUES ('e1b2c20072a332bb29767473', 'da13ccc7bcc16becfb5ac78b', 'comment', '2026-11-23 12:30:02.329+00', 0, NULL, false);
INSERT INTO collab.known_files VALUES ('e1b2c20072a332bb29767473', 'e8781e89a9f220cd0a0cf5b5', 'comment', '2026-11-23 12:30:02.329+00', 0, NULL, false);


--
-- Data for Name: known_posts; Type: TABLE DATA; Schema: collab; Owner: -
--

INSERT INTO collab.known_posts VALUES ('21a54b047da1e4e65ed701a6', '084e246d7ffcf8e31a600a3b', 'page', '2026-11-23 12:30:02.329+00', 0, NULL, false);
INSERT INTO collab.known_posts VALUES ('e1b2c20072a332bb29767473', '85902403c02b1e75d11aea67', 'page', '2026-11-23 12:30:02.329+00', 0, NULL, false);
INSERT INTO collab.known_posts VALUES ('e1b2c20072a332bb29767473', '89d92697a40d98c667479fa4', 'task', '2026-11-23 12:30:02.329+00', 0, NULL, false);
INSERT INTO collab.known_posts VALUES ('e1b2c20072a332bb29767473', 'd9f4e558d33a8754e902b1c9', 'page', '2026-11-23 12:30:02.329+00', 0, NULL, false);


--
-- Data for Name: losses; Type: TABLE DATA; Schema: collab; Owner: -
--

INSERT INTO collab.losses VALUES ('20261123T123002329Z-97f04d', 1, '21a54b047da1e4e65ed701a6', 'tasks', '36262a0a1a81a480ed5ff241', 'name', 'nul_character', '"a NUL: \u0000, which Postgres refuses; 中文, עברית, \"quotes\", back\\slash"');
INSERT INTO collab.losses VALUES ('20261123T123002329Z-97f04d', 2, 'e1b2c20072a332bb29767473', 'tasks', '54baf948889dc16fca1abb6d', 'name', 'nul_character', '"a NUL: \u0000, which Postgres refuses; 中文, עברית, \"quotes\", back\\slash"');
INSERT INTO collab.losses VALUES ('20261123T123004442Z-b0f047', 1, '21a54b047da1e4e65ed701a6', 'tasks', '36262a0a1a81a480ed5ff241', 'name', 'nul_character', '"a NUL: \u0000, which Postgres refuses; 中文, עברית, \"quotes\", back\\slash"');
INSERT INTO collab.losses VALUES ('20261123T123004442Z-b0f047', 2, 'e1b2c20072a332bb29767473', 'tasks', '54baf948889dc16fca1abb6d', 'name', 'nul_character', '"a NUL: \u0000, which Postgres refuses; 中文, עברית, \"quotes\", back\\slash"');
INSERT INTO collab.losses VALUES ('20261123T123006920Z-390994', 1, '21a54b047da1e4e65ed701a6', 'tasks', '36262a0a1a81a480ed5ff241', 'name', 'nul_character', '"a NUL: \u0000, which Postgres refuses; 中文, עברית, \"quotes\", back\\slash"');
INSERT INTO collab.losses VALUES ('20261123T123006920Z-390994', 2, 'e1b2c20072a332bb29767473', 'tasks', '54baf948889dc16fca1abb6d', 'name', 'nul_character', '"a NUL: \u0000, which Postgres refuses; 中文, עברית, \"quotes\", back\\slash"');


--
-- Data for Name: page_watchers; Type: TABLE DATA; Schema: collab; Owner: -
--

INSERT INTO collab.page_watchers VALUES ('21a54b047da1e4e65ed701a6', '5e9c8d36b6c4402a0a5289ea', '311b83d1b9b73ba2aa07818e', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.page_watchers VALUES ('21a54b047da1e4e65ed701a6', 'd21f5080faadf998b84c458f', '892badfdea9dbb27e81c5dd7', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.page_watchers VALUES ('21a54b047da1e4e65ed701a6', 'd21f5080faadf998b84c458f', '8df2fced53d971f052170658', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.page_watchers VALUES ('21a54b047da1e4e65ed701a6', 'd21f5080faadf998b84c458f', 'f631d3b2cbc23dbcc8dff60d', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.page_watchers VALUES ('e1b2c20072a332bb29767473', '158d3beec0b27cdcc4919ffd', '317dae876fa070ea90562758', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.page_watchers VALUES ('e1b2c20072a332bb29767473', '498cf912dfeef9f49c53b24c', '5e6b99b856bb4eaf981f7ae4', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.page_watchers VALUES ('e1b2c20072a332bb29767473', 'a9163115fca30c1f7ce7d6c8', '6d19fa6af86896ae5cc854d6', NULL, '2026-11-23 12:30:02.329+00', NULL);


--
-- Data for Name: pages; Type: TABLE DATA; Schema: collab; Owner: -
--

INSERT INTO collab.pages VALUES ('21a54b047da1e4e65ed701a6', '07e47886a57ff6ef87b62207', '5e9c8d36b6c4402a0a5289ea', '编码规范', '# 参考资料 建议先小范围灰度，观察两天再全量发布。 这次改动**不影响**现有用户，旧接口会继续保留三个月。 建议先小范围灰度，观察两天再全量发布。 ## 待确认事项 目前平均响应时间为 95 毫秒，比上个版本缩短了一半。 请各位在周五下班前完成自测，并把结果填写到表格里。 建', '# 参考资料

建议先小范围灰度，观察两天再全量发布。 这次改动**不影响**现有用户，旧接口会继续保留三个月。 建议先小范围灰度，观察两天再全量发布。

## 待确认事项

目前平均响应时间为 95 毫秒，比上个版本缩短了一半。 请各位在周五下班前完成自测，并把结果填写到表格里。 建议先小范围灰度，观察两天再全量发布。
', '2022-06-27 06:27:34.077+00', '2022-06-27 07:50:01.78+00', 'a65668dce93e79d5fe716a94', NULL, '2026-11-23 12:30:02.329+00', NULL, '5bd5dfe4-037d-b627-3cc8-71a0ac623059');
INSERT INTO collab.pages VALUES ('21a54b047da1e4e65ed701a6', '5e9c8d36b6c4402a0a5289ea', NULL, '常见问题', '# 时间安排 这次改动**不影响**现有用户，旧接口会继续保留三个月。 请各位在周五下班前完成自测，并把结果填写到表格里。 背景请参考[关于调整例会时间的通知](../posts/084e246d7ffcf8e31a600a3b)。 | | Q1 | Q2 | |---|---:', '# 时间安排

这次改动**不影响**现有用户，旧接口会继续保留三个月。 请各位在周五下班前完成自测，并把结果填写到表格里。

背景请参考[关于调整例会时间的通知](../posts/084e246d7ffcf8e31a600a3b)。

| | Q1 | Q2 |
|---|---:|---:|
| Visits | 12,400 | 15,020 |
| Orders | 310 | 402 |

| Name | Status | 备注 |
|:--|:-:|:--|
| API | ✅ | – |
| Web | 🚧 | `v2` \| beta |


See [the other](/projects/21a54b047da1e4e65ed701a6/pages/d21f5080faadf998b84c458f).

[post](/projects/21a54b047da1e4e65ed701a6/posts/084e246d7ffcf8e31a600a3b)
', '2025-11-10 10:07:54.584+00', '2025-11-13 01:23:41.416+00', '311b83d1b9b73ba2aa07818e', NULL, '2026-11-23 12:30:02.329+00', NULL, 'd63d08b7-247f-0f17-b5ac-fc1f8eb67073');
INSERT INTO collab.pages VALUES ('21a54b047da1e4e65ed701a6', 'd21f5080faadf998b84c458f', '5e9c8d36b6c4402a0a5289ea', '2026年度计划', '# 目标 相关讨论在[新人指南](https://collab.example/project/21a54b047da1e4e65ed701a6/page/07e47886a57ff6ef87b62207)。 这次改动**不影响**现有用户，旧接口会继续保留三个月。 这次改动**', '# 目标

相关讨论在[新人指南](https://collab.example/project/21a54b047da1e4e65ed701a6/page/07e47886a57ff6ef87b62207)。

这次改动**不影响**现有用户，旧接口会继续保留三个月。 这次改动**不影响**现有用户，旧接口会继续保留三个月。 建议先小范围灰度，观察两天再全量发布。

| Name | Status | 备注 |
|:--|:-:|:--|
| API | ✅ | – |
| Web | 🚧 | `v2` \| beta |

- 如果遇到问题，请先查看日志，再联系值班同事。
- 目前平均响应时间为 95 毫秒，比上个版本缩短了一半。
- 合同金额约为 12 万元，需要财务部门确认。

> 请各位在周五下班前完成自测，并把结果填写到表格里。
>
> 合同金额约为 12 万元，需要财务部门确认。
', '2022-12-07 20:30:39.79+00', '2023-07-12 10:30:33.177+00', '53890ae6952a58afd16648c4', NULL, '2026-11-23 12:30:02.329+00', NULL, '929f10f4-de25-4f89-92e8-3bbafa78944a');
INSERT INTO collab.pages VALUES ('e1b2c20072a332bb29767473', '158d3beec0b27cdcc4919ffd', '498cf912dfeef9f49c53b24c', 'Roadmap 2026/27', '# What changes We agreed to ship the smallest thing that helps and to look at the numbers after a week. Nothing here is final; leave a comme', '# What changes

We agreed to ship the smallest thing that helps and to look at the numbers after a week. Nothing here is final; leave a comment where you disagree. It took **three attempts** to reproduce, and it only happens when the cache is cold.

See <a href="https://collab.example/project/e1b2c20072a332bb29767473/post/85902403c02b1e75d11aea67">Who is coming to the offsite?</a> for the background.

1. The customer wrote: "works on my machine" – and attached a screenshot of somebody else''s.
2. Costs are about $1,200 a month, 30% less than last year.', '2023-08-04 00:30:15.079+00', '2023-08-04 07:47:18.157+00', '480b9d30249b7b5fc28f87bd', NULL, '2026-11-23 12:30:02.329+00', NULL, '8fcb37d5-78cc-a16d-4bc9-e4ddc4e878ec');
INSERT INTO collab.pages VALUES ('e1b2c20072a332bb29767473', '498cf912dfeef9f49c53b24c', NULL, 'Meeting notes', '# How to try it Nothing here is final; leave a comment where you disagree. > Please do *not* rename the column: two dashboards still read it', '# How to try it

Nothing here is final; leave a comment where you disagree.

> Please do *not* rename the column: two dashboards still read it.
>
> Costs are about $1,200 a month, 30% less than last year.

| Name | Status | 备注 |
|:--|:-:|:--|
| API | ✅ | – |
| Web | 🚧 | `v2` \| beta |

This follows from <https://collab.example/projects/e1b2c20072a332bb29767473/pages/a9163115fca30c1f7ce7d6c8?from=mail#top>.


See [the other](/projects/e1b2c20072a332bb29767473/pages/158d3beec0b27cdcc4919ffd).

[post](/projects/e1b2c20072a332bb29767473/posts/85902403c02b1e75d11aea67)

[post](/projects/e1b2c20072a332bb29767473/posts/89d92697a40d98c667479fa4)

[post](/projects/e1b2c20072a332bb29767473/posts/d9f4e558d33a8754e902b1c9)
', '2022-06-03 01:09:43.075+00', '2024-08-31 21:26:52.637+00', '9820e679546b31620f3f1a7d', NULL, '2026-11-23 12:30:02.329+00', NULL, 'ada60e6d-29ca-0df4-097a-9b3ec72cf30b');
INSERT INTO collab.pages VALUES ('e1b2c20072a332bb29767473', 'a9163115fca30c1f7ce7d6c8', NULL, 'Roadmap 2026/27', '# What changes If in doubt, ask in the channel before you merge. ## What changes Costs are about $1,200 a month, 30% less than last year. Th', '# What changes

If in doubt, ask in the channel before you merge.

## What changes

Costs are about $1,200 a month, 30% less than last year. The old behaviour stays behind a flag until everyone has moved.

- We agreed to ship the smallest thing that helps and to look at the numbers after a week.
- Latency went from 480 ms to 95 ms, which is better than we hoped for.
- The customer wrote: "works on my machine" – and attached a screenshot of somebody else''s.
- Use `--dry-run` first; it prints what it would do and touches nothing.

| Name | Status | 备注 |
|:--|:-:|:--|
| API | ✅ | – |
| Web | 🚧 | `v2` \| beta |
', '2024-09-21 05:16:10.289+00', '2025-02-06 06:41:23.306+00', '6d19fa6af86896ae5cc854d6', NULL, '2026-11-23 12:30:02.329+00', NULL, '63b91457-af64-06fc-dd1e-b442bbeba58b');
INSERT INTO collab.pages VALUES ('e1b2c20072a332bb29767473', 'f4403cb794b1b63a4b498587', '158d3beec0b27cdcc4919ffd', 'Architecture', '# Numbers Please do *not* rename the column: two dashboards still read it. The old behaviour stays behind a flag until everyone has moved. T', '# Numbers

Please do *not* rename the column: two dashboards still read it. The old behaviour stays behind a flag until everyone has moved. The customer wrote: "works on my machine" – and attached a screenshot of somebody else''s.

## What changes

If in doubt, ask in the channel before you merge. The old behaviour stays behind a flag until everyone has moved. Please do *not* rename the column: two dashboards still read it.

| | Q1 | Q2 |
|---|---:|---:|
| Visits | 12,400 | 15,020 |
| Orders | 310 | 402 |

```json
{ "name": "Überblick", "tags": ["a", "b"], "done": false }
```

~~~ts
// In code, [this](/project/PID/page/PAGE_ID) is no link.
export const half = (n: number): number => n / 2
~~~
', '2022-07-17 11:17:37.435+00', '2025-09-26 11:51:00.834+00', '6d19fa6af86896ae5cc854d6', NULL, '2026-11-23 12:30:02.329+00', NULL, '8ba5a85f-c8c4-1401-86dd-8bc659f2a878');
INSERT INTO collab.pages VALUES ('e1b2c20072a332bb29767473', '6baa340313d35e28bbaf5ecf', 'f4403cb794b1b63a4b498587', 'Glossary', '# What changes Costs are about $1,200 a month, 30% less than last year. This follows from <a href="https://collab.example/project/e1b2c20072', '# What changes

Costs are about $1,200 a month, 30% less than last year.

This follows from <a href="https://collab.example/project/e1b2c20072a332bb29767473/page/f4403cb794b1b63a4b498587">Architecture</a>.

- [x] Nothing here is final; leave a comment where you disagree.
- [ ] Use `--dry-run` first; it prints what it would do and touches nothing.

~~~ts
// In code, [this](/project/PID/page/PAGE_ID) is no link.
export const half = (n: number): number => n / 2
~~~

> We agreed to ship the smallest thing that helps and to look at the numbers after a week.
>
> The old behaviour stays behind a flag until everyone has moved.
', '2021-04-16 12:42:50.491+00', '2021-08-27 18:13:28.578+00', '311b83d1b9b73ba2aa07818e', NULL, '2026-11-23 12:30:02.329+00', '2026-11-23 12:30:04.442+00', 'b42a6d61-f2f5-f5ae-e368-0e1f5699030b');


--
-- Data for Name: post_comments; Type: TABLE DATA; Schema: collab; Owner: -
--

INSERT INTO collab.post_comments VALUES ('21a54b047da1e4e65ed701a6', '084e246d7ffcf8e31a600a3b', '04667e40b1d625aea2bcb6a0', '👍👍👍', '👍👍👍', 1, 1, '5e6b99b856bb4eaf981f7ae4', '2024-02-03 02:22:48.544+00', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.post_comments VALUES ('21a54b047da1e4e65ed701a6', '084e246d7ffcf8e31a600a3b', 'ea0b05be09bce0291633de83', '👍👍👍', '👍👍👍', 1, 1, 'f631d3b2cbc23dbcc8dff60d', '2025-01-02 21:24:50.883+00', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.post_comments VALUES ('e1b2c20072a332bb29767473', '85902403c02b1e75d11aea67', '5223f082da1b1537422ff3db', 'Attached is the latest version.', 'Attached is the latest version.', 1, 1, '480b9d30249b7b5fc28f87bd', '2026-04-07 07:21:37.167+00', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.post_comments VALUES ('e1b2c20072a332bb29767473', '85902403c02b1e75d11aea67', '68a846f099e30204f67e1f5f', '<p>Attached is the latest version.</p>', 'Attached is the latest version.', 1, 2, '317dae876fa070ea90562758', '2026-04-26 08:32:15.733+00', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.post_comments VALUES ('e1b2c20072a332bb29767473', '85902403c02b1e75d11aea67', 'e306d29ff5f60b05101c0eaa', '👍', '👍', 2, 1, '9e8f85d9786e0a9414823b1c', '2026-04-08 18:32:17.65+00', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.post_comments VALUES ('e1b2c20072a332bb29767473', '85902403c02b1e75d11aea67', 'e638a2fd839cd7dc70be2fd6', 'Attached is the latest version.', 'Attached is the latest version.', 1, 1, '9820e679546b31620f3f1a7d', '2026-05-06 17:32:20.421+00', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.post_comments VALUES ('e1b2c20072a332bb29767473', '89d92697a40d98c667479fa4', 'b569c325852935e65fbaf583', 'Looks good to me 👍', 'Looks good to me 👍', 1, 1, '9820e679546b31620f3f1a7d', '2025-08-08 08:45:20.536+00', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.post_comments VALUES ('e1b2c20072a332bb29767473', 'd9f4e558d33a8754e902b1c9', '040673bff4f3edfe8cf8480c', 'Done, please check.', 'Done, please check.', 1, 1, '480b9d30249b7b5fc28f87bd', '2023-08-09 08:21:50.57+00', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.post_comments VALUES ('e1b2c20072a332bb29767473', 'd9f4e558d33a8754e902b1c9', '2d3d020f6ecf18b81477a776', 'Not sure I follow – can you give an example?', 'Not sure I follow – can you give an example?', 1, 1, '746c9874c0efb1d0f30c396d', '2025-05-24 02:33:15.857+00', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.post_comments VALUES ('e1b2c20072a332bb29767473', 'd9f4e558d33a8754e902b1c9', '672279b6d3f669537b03ea2a', '+1, and thanks for the thorough write-up!', '+1, and thanks for the thorough write-up!', 1, 1, '5e6b99b856bb4eaf981f7ae4', '2023-08-05 17:06:10.881+00', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.post_comments VALUES ('e1b2c20072a332bb29767473', 'd9f4e558d33a8754e902b1c9', 'e70f114f504aa0e4859b9976', '+1, and thanks for the thorough write-up!', '+1, and thanks for the thorough write-up!', 1, 1, '5da80d8d5e77c921833f9675', '2026-05-23 02:19:51.145+00', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.post_comments VALUES ('e1b2c20072a332bb29767473', 'd9f4e558d33a8754e902b1c9', 'ebad71d3a24d727277c1e0eb', 'Attached is the latest version.', 'Attached is the latest version.', 1, 1, '233def59b51c5f467b5abfff', '2023-08-25 09:10:06.533+00', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.post_comments VALUES ('e1b2c20072a332bb29767473', 'd9f4e558d33a8754e902b1c9', 'ffda0f1087710e6ebad7a33b', 'Looks good to me 👍', 'Looks good to me 👍', 1, 1, '746c9874c0efb1d0f30c396d', '2023-09-13 04:12:18.914+00', NULL, '2026-11-23 12:30:02.329+00', NULL);


--
-- Data for Name: post_watchers; Type: TABLE DATA; Schema: collab; Owner: -
--

INSERT INTO collab.post_watchers VALUES ('21a54b047da1e4e65ed701a6', '084e246d7ffcf8e31a600a3b', '233def59b51c5f467b5abfff', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.post_watchers VALUES ('e1b2c20072a332bb29767473', '85902403c02b1e75d11aea67', '9e8f85d9786e0a9414823b1c', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.post_watchers VALUES ('e1b2c20072a332bb29767473', '89d92697a40d98c667479fa4', '317dae876fa070ea90562758', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.post_watchers VALUES ('e1b2c20072a332bb29767473', 'd9f4e558d33a8754e902b1c9', '317dae876fa070ea90562758', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.post_watchers VALUES ('e1b2c20072a332bb29767473', 'd9f4e558d33a8754e902b1c9', '5e6b99b856bb4eaf981f7ae4', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.post_watchers VALUES ('e1b2c20072a332bb29767473', 'd9f4e558d33a8754e902b1c9', '746c9874c0efb1d0f30c396d', NULL, '2026-11-23 12:30:02.329+00', NULL);


--
-- Data for Name: posts; Type: TABLE DATA; Schema: collab; Owner: -
--

INSERT INTO collab.posts VALUES ('21a54b047da1e4e65ed701a6', '084e246d7ffcf8e31a600a3b', '关于调整例会时间的通知', '# 背景 这次改动**不影响**现有用户，旧接口会继续保留三个月。 这次改动**不影响**现有用户，旧接口会继续保留三个月。 1. 这次改动**不影响**现有用户，旧接口会继续保留三个月。 2. 如果遇到问题，请先查看日志，再联系值班同事。 3. 测试环境已经部署完成，账号密码见', '# 背景

这次改动**不影响**现有用户，旧接口会继续保留三个月。 这次改动**不影响**现有用户，旧接口会继续保留三个月。

1. 这次改动**不影响**现有用户，旧接口会继续保留三个月。
2. 如果遇到问题，请先查看日志，再联系值班同事。
3. 测试环境已经部署完成，账号密码见内部文档。
4. 建议先小范围灰度，观察两天再全量发布。

1. 如果遇到问题，请先查看日志，再联系值班同事。
2. 目前平均响应时间为 95 毫秒，比上个版本缩短了一半。
3. 建议先小范围灰度，观察两天再全量发布。

1. 如果遇到问题，请先查看日志，再联系值班同事。
2. 目前平均响应时间为 95 毫秒，比上个版本缩短了一半。
3. 需求还没有最终确定，先按照原型图开发。

```json
{ "name": "Überblick", "tags": ["a", "b"], "done": false }
```
', '2024-01-23 03:09:02.578+00', '2026-02-12 09:52:49.176+00', 'f631d3b2cbc23dbcc8dff60d', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.posts VALUES ('e1b2c20072a332bb29767473', '85902403c02b1e75d11aea67', 'Friday demo: recording inside', '# Open questions Please do *not* rename the column: two dashboards still read it. The old behaviour stays behind a flag until everyone has m', '# Open questions

Please do *not* rename the column: two dashboards still read it. The old behaviour stays behind a flag until everyone has moved.

## Numbers

Please do *not* rename the column: two dashboards still read it. Latency went from 480 ms to 95 ms, which is better than we hoped for. It took **three attempts** to reproduce, and it only happens when the cache is cold.

| Name | Status | 备注 |
|:--|:-:|:--|
| API | ✅ | – |
| Web | 🚧 | `v2` \| beta |

- The old behaviour stays behind a flag until everyone has moved.
- Use `--dry-run` first; it prints what it would do and touches nothing.

1. We agreed to ship the smallest thing that helps and to look at the numbers after a week.
2. Nothing here is final; leave a comment where you disagree.
3. Please do *not* rename the column: two dashboards still read it.
4. The customer wrote: "works on my machine" – and attached a screenshot of somebody else''s.
', '2026-04-07 02:53:26.89+00', '2026-04-07 04:14:25.197+00', '5e6b99b856bb4eaf981f7ae4', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.posts VALUES ('e1b2c20072a332bb29767473', '89d92697a40d98c667479fa4', 'Proposal: one deploy a day', '# How to try it We agreed to ship the smallest thing that helps and to look at the numbers after a week. The customer wrote: "works on my ma', '# How to try it

We agreed to ship the smallest thing that helps and to look at the numbers after a week. The customer wrote: "works on my machine" – and attached a screenshot of somebody else''s. If in doubt, ask in the channel before you merge.

- It took **three attempts** to reproduce, and it only happens when the cache is cold.
- Please do *not* rename the column: two dashboards still read it.

- [x] We agreed to ship the smallest thing that helps and to look at the numbers after a week.
- [ ] It took **three attempts** to reproduce, and it only happens when the cache is cold.
- [x] Please do *not* rename the column: two dashboards still read it.

> It took **three attempts** to reproduce, and it only happens when the cache is cold.
>
> Latency went from 480 ms to 95 ms, which is better than we hoped for.
>
> The customer wrote: "works on my machine" – and attached a screenshot of somebody else''s.
>
> If in doubt, ask in the channel before you merge.

```json
{ "name": "Überblick", "tags": ["a", "b"], "done": false }
```
', '2024-09-15 04:52:35.638+00', '2024-09-16 22:56:53.683+00', '480b9d30249b7b5fc28f87bd', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.posts VALUES ('e1b2c20072a332bb29767473', 'd9f4e558d33a8754e902b1c9', 'Proposal: one deploy a day', '# Numbers Use `--dry-run` first; it prints what it would do and touches nothing. > Nothing here is final; leave a comment where you disagree', '# Numbers

Use `--dry-run` first; it prints what it would do and touches nothing.

> Nothing here is final; leave a comment where you disagree.
>
> The customer wrote: "works on my machine" – and attached a screenshot of somebody else''s.
>
> If in doubt, ask in the channel before you merge.
>
> Costs are about $1,200 a month, 30% less than last year.

| | Q1 | Q2 |
|---|---:|---:|
| Visits | 12,400 | 15,020 |
| Orders | 310 | 402 |', '2023-08-05 13:22:17.244+00', '2023-08-05 18:10:48.676+00', '317dae876fa070ea90562758', NULL, '2026-11-23 12:30:02.329+00', NULL);


--
-- Data for Name: project_labels; Type: TABLE DATA; Schema: collab; Owner: -
--

INSERT INTO collab.project_labels VALUES ('21a54b047da1e4e65ed701a6', 'blue', 'customer', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.project_labels VALUES ('21a54b047da1e4e65ed701a6', 'orange', '需要讨论', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.project_labels VALUES ('21a54b047da1e4e65ed701a6', 'purple', '', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.project_labels VALUES ('21a54b047da1e4e65ed701a6', 'red', 'urgent', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.project_labels VALUES ('e1b2c20072a332bb29767473', 'blue', 'customer', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.project_labels VALUES ('e1b2c20072a332bb29767473', 'green', 'Freigegeben', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.project_labels VALUES ('e1b2c20072a332bb29767473', 'orange', '需要讨论', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.project_labels VALUES ('e1b2c20072a332bb29767473', 'red', 'urgent', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.project_labels VALUES ('e1b2c20072a332bb29767473', 'yellow', '', NULL, '2026-11-23 12:30:02.329+00', NULL);


--
-- Data for Name: projects; Type: TABLE DATA; Schema: collab; Owner: -
--

INSERT INTO collab.projects VALUES ('21a54b047da1e4e65ed701a6', '产品研发', '如果遇到问题，请先查看日志，再联系值班同事。', false, 'icon-2.png', '#56abfb', 2, '5f1c2a7be4b0d93a7c1f0002', true, 2048.25, 13, 2, 15, '7a109e98eb57a0755740f719', NULL, '2026-11-23 12:30:02.329+00', NULL, NULL);
INSERT INTO collab.projects VALUES ('e1b2c20072a332bb29767473', 'Website relaunch', 'Costs are about $1,200 a month, 30% less than last year.', false, 'icon-1.png', '#2cccda', 1, '5f1c2a7be4b0d93a7c1f0001', false, 1024, 10, 1, 31, '5e6b99b856bb4eaf981f7ae4', NULL, '2026-11-23 12:30:02.329+00', NULL, NULL);


--
-- Data for Name: run_scopes; Type: TABLE DATA; Schema: collab; Owner: -
--

INSERT INTO collab.run_scopes VALUES ('20261123T123002329Z-97f04d', '', 'projects', 'complete', 1, 1, 604, 0, 0, 0, 0, '2026-11-23 12:30:02.329+00', '2026-11-23 12:30:02.358+00', NULL, NULL, 2, '0000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO collab.run_scopes VALUES ('20261123T123002329Z-97f04d', '', 'webhooks', 'complete', 1, 1, 527, 2, 2, 0, 0, '2026-11-23 12:30:02.393+00', '2026-11-23 12:30:02.397+00', NULL, NULL, 2, '1edae5eecad94594adf029a99dfb28766bef8e4f2e23f2bf414f628c4aec3ca2');
INSERT INTO collab.run_scopes VALUES ('20261123T123002329Z-97f04d', '21a54b047da1e4e65ed701a6', 'projects', 'complete', 1, 1, 530, 5, 5, 0, 0, '2026-11-23 12:30:02.441+00', '2026-11-23 12:30:02.466+00', NULL, NULL, 1, 'e25769d907e90ad8b963e50370feeba455e06c8b0349090dddf9f8a0de49f50c');
INSERT INTO collab.run_scopes VALUES ('20261123T123002329Z-97f04d', '21a54b047da1e4e65ed701a6', 'tasks', 'complete', 1, 1, 5800, 28, 28, 0, 0, '2026-11-23 12:30:02.441+00', '2026-11-23 12:30:02.467+00', NULL, NULL, 5, '4306040553b4ae29e83465302acbea7f63864c1ef3fb081eb76d98feb32b0ad2');
INSERT INTO collab.run_scopes VALUES ('20261123T123002329Z-97f04d', '21a54b047da1e4e65ed701a6', 'archived_tasks', 'complete', 1, 4, 4954, 15, 13, 0, 0, '2026-11-23 12:30:02.441+00', '2026-11-23 12:30:02.531+00', NULL, NULL, 2, '734c091cb0d107b3f7b69b76f919db62d9b19ac67122c4c80ea1c9d020790f65');
INSERT INTO collab.run_scopes VALUES ('20261123T123002329Z-97f04d', '21a54b047da1e4e65ed701a6', 'pages', 'complete', 1, 1, 4537, 7, 7, 0, 0, '2026-11-23 12:30:02.441+00', '2026-11-23 12:30:02.484+00', NULL, NULL, 3, 'c4b1f990062214c8855da97b3591351814a96eb9a32917b7eed8e80f87393afb');
INSERT INTO collab.run_scopes VALUES ('20261123T123002329Z-97f04d', '21a54b047da1e4e65ed701a6', 'posts', 'complete', 1, 2, 2951, 6, 6, 0, 0, '2026-11-23 12:30:02.543+00', '2026-11-23 12:30:02.563+00', NULL, NULL, 3, 'b2841569debbc1331e822fbf982c3b2d2aba533fae9f0001b8fcbec2e59bc5a0');
INSERT INTO collab.run_scopes VALUES ('20261123T123002329Z-97f04d', '21a54b047da1e4e65ed701a6', 'events', 'complete', 5, 6, 1592, 4, 4, 0, 0, '2026-11-23 12:30:02.441+00', '2026-11-23 12:30:02.543+00', NULL, NULL, 2, '36f5092ce92d018d74af7779b76dc6857c3f34cfb97a20ed07b498f86d3c912f');
INSERT INTO collab.run_scopes VALUES ('20261123T123002329Z-97f04d', '21a54b047da1e4e65ed701a6', 'files', 'complete', 2, 4, 1672, 5, 5, 0, 0, '2026-11-23 12:30:02.543+00', '2026-11-23 12:30:02.563+00', NULL, NULL, 4, '3fd756c7b92e6fae4bd68adbac13277249aa7f840cf02478572973043c994ee0');
INSERT INTO collab.run_scopes VALUES ('20261123T123002329Z-97f04d', '21a54b047da1e4e65ed701a6', 'webhooks', 'complete', 1, 1, 2, 0, 0, 0, 0, '2026-11-23 12:30:02.441+00', '2026-11-23 12:30:02.485+00', NULL, NULL, 0, '0000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO collab.run_scopes VALUES ('20261123T123002329Z-97f04d', 'e1b2c20072a332bb29767473', 'projects', 'complete', 1, 1, 563, 6, 6, 0, 0, '2026-11-23 12:30:02.434+00', '2026-11-23 12:30:02.46+00', NULL, NULL, 1, '2e6a87792e7e6a9dc348c6c93cf195a873a247fc3628ddb6fde02556f76d3e5e');
INSERT INTO collab.run_scopes VALUES ('20261123T123002329Z-97f04d', 'e1b2c20072a332bb29767473', 'tasks', 'complete', 1, 1, 11936, 62, 62, 0, 0, '2026-11-23 12:30:02.435+00', '2026-11-23 12:30:02.46+00', NULL, NULL, 9, 'da4aaa32dddb613f4c060eb6f34f512cee6c70944f3d085859b1b1ab2dda472a');
INSERT INTO collab.run_scopes VALUES ('20261123T123002329Z-97f04d', 'e1b2c20072a332bb29767473', 'archived_tasks', 'complete', 1, 5, 12491, 26, 23, 0, 0, '2026-11-23 12:30:02.435+00', '2026-11-23 12:30:02.527+00', NULL, NULL, 4, 'c1ebe0ad1203f5f7e46c1301253f21dfd36cb77e500f32d270eca924675f2d35');
INSERT INTO collab.run_scopes VALUES ('20261123T123002329Z-97f04d', 'e1b2c20072a332bb29767473', 'pages', 'complete', 1, 1, 6516, 8, 8, 0, 0, '2026-11-23 12:30:02.437+00', '2026-11-23 12:30:02.464+00', NULL, NULL, 5, 'e0fa705c0db4c00e9ca8ce44f88cbd071a2699b76415341228245a9d5e69a96c');
INSERT INTO collab.run_scopes VALUES ('20261123T123002329Z-97f04d', 'e1b2c20072a332bb29767473', 'posts', 'complete', 3, 6, 9634, 23, 23, 0, 0, '2026-11-23 12:30:02.538+00', '2026-11-23 12:30:02.723+00', NULL, NULL, 14, 'c3cdd03386ee642b94e1c7794a3b9f1ec6b5b58f1be3126c726035ead45cfcc2');
INSERT INTO collab.run_scopes VALUES ('20261123T123002329Z-97f04d', 'e1b2c20072a332bb29767473', 'events', 'complete', 5, 6, 3711, 12, 12, 0, 0, '2026-11-23 12:30:02.438+00', '2026-11-23 12:30:02.538+00', NULL, NULL, 4, 'ec32147921a1c3cbf5145f5c4cc3087651caa638a3c8213afb3a266512c517fd');
INSERT INTO collab.run_scopes VALUES ('20261123T123002329Z-97f04d', 'e1b2c20072a332bb29767473', 'files', 'complete', 6, 12, 5883, 18, 18, 0, 0, '2026-11-23 12:30:02.539+00', '2026-11-23 12:30:02.723+00', NULL, NULL, 13, '58d8583f4ca4ebcb8b3fc05a19996053a4929954e504f8043ff168c31ab28558');
INSERT INTO collab.run_scopes VALUES ('20261123T123002329Z-97f04d', 'e1b2c20072a332bb29767473', 'webhooks', 'complete', 1, 1, 1060, 3, 3, 0, 0, '2026-11-23 12:30:02.438+00', '2026-11-23 12:30:02.465+00', NULL, NULL, 3, '31ab3cd18edb2cd263519822cc141fee7a36e908bc16aa5c0d5cd801a4a6c422');
INSERT INTO collab.run_scopes VALUES ('20261123T123004442Z-b0f047', '', 'projects', 'complete', 1, 1, 604, 0, 0, 0, 0, '2026-11-23 12:30:04.442+00', '2026-11-23 12:30:04.461+00', NULL, NULL, 2, '0000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO collab.run_scopes VALUES ('20261123T123004442Z-b0f047', '', 'webhooks', 'complete', 1, 1, 527, 2, 0, 0, 0, '2026-11-23 12:30:04.674+00', '2026-11-23 12:30:04.682+00', NULL, NULL, 2, '1edae5eecad94594adf029a99dfb28766bef8e4f2e23f2bf414f628c4aec3ca2');
INSERT INTO collab.run_scopes VALUES ('20261123T123004442Z-b0f047', '21a54b047da1e4e65ed701a6', 'projects', 'complete', 1, 1, 530, 5, 0, 0, 0, '2026-11-23 12:30:04.724+00', '2026-11-23 12:30:04.751+00', NULL, NULL, 1, 'e25769d907e90ad8b963e50370feeba455e06c8b0349090dddf9f8a0de49f50c');
INSERT INTO collab.run_scopes VALUES ('20261123T123004442Z-b0f047', '21a54b047da1e4e65ed701a6', 'tasks', 'complete', 1, 1, 5806, 28, 0, 0, 0, '2026-11-23 12:30:04.724+00', '2026-11-23 12:30:04.753+00', NULL, NULL, 5, '4306040553b4ae29e83465302acbea7f63864c1ef3fb081eb76d98feb32b0ad2');
INSERT INTO collab.run_scopes VALUES ('20261123T123004442Z-b0f047', '21a54b047da1e4e65ed701a6', 'archived_tasks', 'complete', 1, 4, 4960, 15, 0, 0, 0, '2026-11-23 12:30:04.724+00', '2026-11-23 12:30:04.803+00', NULL, NULL, 2, '734c091cb0d107b3f7b69b76f919db62d9b19ac67122c4c80ea1c9d020790f65');
INSERT INTO collab.run_scopes VALUES ('20261123T123004442Z-b0f047', '21a54b047da1e4e65ed701a6', 'pages', 'complete', 1, 1, 4537, 7, 0, 0, 0, '2026-11-23 12:30:04.724+00', '2026-11-23 12:30:04.757+00', NULL, NULL, 3, 'c4b1f990062214c8855da97b3591351814a96eb9a32917b7eed8e80f87393afb');
INSERT INTO collab.run_scopes VALUES ('20261123T123004442Z-b0f047', '21a54b047da1e4e65ed701a6', 'posts', 'partial', 1, 1, 138, 0, 0, 0, 0, '2026-11-23 12:30:04.823+00', '2026-11-23 12:30:04.834+00', 'UNREAD_ITEMS', '1 post, or its comments, could not be read: 084e246d7ffcf8e31a600a3b (posts.get: the service, or a gateway before it, answered with HTTP 500 (text/html), without an error of the service); stored data is kept', 0, '0000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO collab.run_scopes VALUES ('20261123T123004442Z-b0f047', '21a54b047da1e4e65ed701a6', 'events', 'complete', 5, 6, 1598, 4, 0, 0, 0, '2026-11-23 12:30:04.724+00', '2026-11-23 12:30:04.823+00', NULL, NULL, 2, '36f5092ce92d018d74af7779b76dc6857c3f34cfb97a20ed07b498f86d3c912f');
INSERT INTO collab.run_scopes VALUES ('20261123T123004442Z-b0f047', '21a54b047da1e4e65ed701a6', 'files', 'complete', 2, 4, 1675, 5, 0, 0, 0, '2026-11-23 12:30:04.823+00', '2026-11-23 12:30:04.834+00', NULL, NULL, 4, '3fd756c7b92e6fae4bd68adbac13277249aa7f840cf02478572973043c994ee0');
INSERT INTO collab.run_scopes VALUES ('20261123T123004442Z-b0f047', '21a54b047da1e4e65ed701a6', 'webhooks', 'complete', 1, 1, 2, 0, 0, 0, 0, '2026-11-23 12:30:04.724+00', '2026-11-23 12:30:04.758+00', NULL, NULL, 0, '0000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO collab.run_scopes VALUES ('20261123T123004442Z-b0f047', 'e1b2c20072a332bb29767473', 'projects', 'complete', 1, 1, 566, 6, 0, 0, 0, '2026-11-23 12:30:04.717+00', '2026-11-23 12:30:04.744+00', NULL, NULL, 1, '2e6a87792e7e6a9dc348c6c93cf195a873a247fc3628ddb6fde02556f76d3e5e');
INSERT INTO collab.run_scopes VALUES ('20261123T123004442Z-b0f047', 'e1b2c20072a332bb29767473', 'tasks', 'complete', 1, 1, 10636, 56, 0, 1, 0, '2026-11-23 12:30:04.718+00', '2026-11-23 12:30:04.744+00', NULL, NULL, 8, 'fdd2ffac2fb1a68c05c3ef20e47b68f2fd3d8a706a6bdf123a481cd60c2fcb6a');
INSERT INTO collab.run_scopes VALUES ('20261123T123004442Z-b0f047', 'e1b2c20072a332bb29767473', 'archived_tasks', 'complete', 1, 5, 15303, 32, 0, 1, 0, '2026-11-23 12:30:04.718+00', '2026-11-23 12:30:04.8+00', NULL, NULL, 5, '41481ea8bc5ce9e434767335eaa89fe94b5182a10bcea280bc1e50ff74dcb93c');
INSERT INTO collab.run_scopes VALUES ('20261123T123004442Z-b0f047', 'e1b2c20072a332bb29767473', 'pages', 'complete', 1, 1, 5319, 7, 0, 0, 1, '2026-11-23 12:30:04.719+00', '2026-11-23 12:30:04.749+00', NULL, NULL, 4, '2cd002fa1abeca5fb940c025a1f3b9fbc402921ab0d93d3def6a64a80f95b37f');
INSERT INTO collab.run_scopes VALUES ('20261123T123004442Z-b0f047', 'e1b2c20072a332bb29767473', 'posts', 'partial', 3, 3, 414, 0, 0, 0, 0, '2026-11-23 12:30:04.91+00', '2026-11-23 12:30:04.92+00', 'UNREAD_ITEMS', '3 posts, or their comments, could not be read: 85902403c02b1e75d11aea67 (posts.get: the service, or a gateway before it, answered with HTTP 500 (text/html), without an error of the service), 89d92697a40d98c667479fa4 (posts.get: the service, or a gateway before it, answered with HTTP 500 (text/html), without an error of the service), d9f4e558d33a8754e902b1c9 (posts.get: the service, or a gateway before it, answered with HTTP 500 (text/html), without an error of the service); stored data is kept', 0, '0000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO collab.run_scopes VALUES ('20261123T123004442Z-b0f047', 'e1b2c20072a332bb29767473', 'events', 'complete', 5, 9, 2285, 6, 0, 0, 6, '2026-11-23 12:30:04.719+00', '2026-11-23 12:30:04.91+00', NULL, NULL, 3, '079b3498320a29341e359ea5955d1ef261fa804f3333cabf7139bb4067dbfdcc');
INSERT INTO collab.run_scopes VALUES ('20261123T123004442Z-b0f047', 'e1b2c20072a332bb29767473', 'files', 'complete', 6, 12, 5889, 18, 0, 0, 0, '2026-11-23 12:30:04.911+00', '2026-11-23 12:30:04.92+00', NULL, NULL, 13, '58d8583f4ca4ebcb8b3fc05a19996053a4929954e504f8043ff168c31ab28558');
INSERT INTO collab.run_scopes VALUES ('20261123T123004442Z-b0f047', 'e1b2c20072a332bb29767473', 'webhooks', 'complete', 1, 1, 1060, 3, 0, 0, 0, '2026-11-23 12:30:04.72+00', '2026-11-23 12:30:04.75+00', NULL, NULL, 3, '31ab3cd18edb2cd263519822cc141fee7a36e908bc16aa5c0d5cd801a4a6c422');
INSERT INTO collab.run_scopes VALUES ('20261123T123006920Z-390994', '', 'projects', 'complete', 1, 1, 604, 0, 0, 0, 0, '2026-11-23 12:30:06.92+00', '2026-11-23 12:30:06.966+00', NULL, NULL, 2, '0000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO collab.run_scopes VALUES ('20261123T123006920Z-390994', '', 'webhooks', 'complete', 1, 1, 527, 2, 0, 0, 0, '2026-11-23 12:30:07.11+00', '2026-11-23 12:30:07.114+00', NULL, NULL, 2, '1edae5eecad94594adf029a99dfb28766bef8e4f2e23f2bf414f628c4aec3ca2');
INSERT INTO collab.run_scopes VALUES ('20261123T123006920Z-390994', '21a54b047da1e4e65ed701a6', 'projects', 'complete', 1, 1, 530, 5, 0, 0, 0, '2026-11-23 12:30:07.163+00', '2026-11-23 12:30:07.2+00', NULL, NULL, 1, 'e25769d907e90ad8b963e50370feeba455e06c8b0349090dddf9f8a0de49f50c');
INSERT INTO collab.run_scopes VALUES ('20261123T123006920Z-390994', '21a54b047da1e4e65ed701a6', 'tasks', 'complete', 1, 1, 5806, 28, 0, 0, 0, '2026-11-23 12:30:07.164+00', '2026-11-23 12:30:07.206+00', NULL, NULL, 5, '4306040553b4ae29e83465302acbea7f63864c1ef3fb081eb76d98feb32b0ad2');
INSERT INTO collab.run_scopes VALUES ('20261123T123006920Z-390994', '21a54b047da1e4e65ed701a6', 'archived_tasks', 'complete', 1, 4, 4960, 15, 0, 0, 0, '2026-11-23 12:30:07.164+00', '2026-11-23 12:30:07.282+00', NULL, NULL, 2, '734c091cb0d107b3f7b69b76f919db62d9b19ac67122c4c80ea1c9d020790f65');
INSERT INTO collab.run_scopes VALUES ('20261123T123006920Z-390994', '21a54b047da1e4e65ed701a6', 'pages', 'complete', 1, 1, 4537, 7, 0, 0, 0, '2026-11-23 12:30:07.164+00', '2026-11-23 12:30:07.239+00', NULL, NULL, 3, 'c4b1f990062214c8855da97b3591351814a96eb9a32917b7eed8e80f87393afb');
INSERT INTO collab.run_scopes VALUES ('20261123T123006920Z-390994', '21a54b047da1e4e65ed701a6', 'posts', 'complete', 1, 2, 2954, 6, 0, 0, 0, '2026-11-23 12:30:07.306+00', '2026-11-23 12:30:07.346+00', NULL, NULL, 3, 'b2841569debbc1331e822fbf982c3b2d2aba533fae9f0001b8fcbec2e59bc5a0');
INSERT INTO collab.run_scopes VALUES ('20261123T123006920Z-390994', '21a54b047da1e4e65ed701a6', 'events', 'complete', 5, 6, 1598, 4, 0, 0, 0, '2026-11-23 12:30:07.164+00', '2026-11-23 12:30:07.306+00', NULL, NULL, 2, '36f5092ce92d018d74af7779b76dc6857c3f34cfb97a20ed07b498f86d3c912f');
INSERT INTO collab.run_scopes VALUES ('20261123T123006920Z-390994', '21a54b047da1e4e65ed701a6', 'files', 'complete', 2, 4, 1675, 5, 0, 0, 0, '2026-11-23 12:30:07.306+00', '2026-11-23 12:30:07.346+00', NULL, NULL, 4, '3fd756c7b92e6fae4bd68adbac13277249aa7f840cf02478572973043c994ee0');
INSERT INTO collab.run_scopes VALUES ('20261123T123006920Z-390994', '21a54b047da1e4e65ed701a6', 'webhooks', 'complete', 1, 1, 2, 0, 0, 0, 0, '2026-11-23 12:30:07.164+00', '2026-11-23 12:30:07.24+00', NULL, NULL, 0, '0000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO collab.run_scopes VALUES ('20261123T123006920Z-390994', 'e1b2c20072a332bb29767473', 'projects', 'complete', 1, 1, 566, 6, 0, 0, 0, '2026-11-23 12:30:07.152+00', '2026-11-23 12:30:07.21+00', NULL, NULL, 1, '2e6a87792e7e6a9dc348c6c93cf195a873a247fc3628ddb6fde02556f76d3e5e');
INSERT INTO collab.run_scopes VALUES ('20261123T123006920Z-390994', 'e1b2c20072a332bb29767473', 'tasks', 'complete', 1, 1, 10636, 56, 0, 0, 0, '2026-11-23 12:30:07.155+00', '2026-11-23 12:30:07.21+00', NULL, NULL, 8, 'fdd2ffac2fb1a68c05c3ef20e47b68f2fd3d8a706a6bdf123a481cd60c2fcb6a');
INSERT INTO collab.run_scopes VALUES ('20261123T123006920Z-390994', 'e1b2c20072a332bb29767473', 'archived_tasks', 'complete', 1, 5, 15303, 32, 0, 0, 0, '2026-11-23 12:30:07.155+00', '2026-11-23 12:30:07.256+00', NULL, NULL, 5, '41481ea8bc5ce9e434767335eaa89fe94b5182a10bcea280bc1e50ff74dcb93c');
INSERT INTO collab.run_scopes VALUES ('20261123T123006920Z-390994', 'e1b2c20072a332bb29767473', 'pages', 'complete', 1, 1, 5319, 7, 0, 0, 0, '2026-11-23 12:30:07.156+00', '2026-11-23 12:30:07.21+00', NULL, NULL, 4, '2cd002fa1abeca5fb940c025a1f3b9fbc402921ab0d93d3def6a64a80f95b37f');
INSERT INTO collab.run_scopes VALUES ('20261123T123006920Z-390994', 'e1b2c20072a332bb29767473', 'posts', 'complete', 3, 6, 9643, 23, 0, 0, 0, '2026-11-23 12:30:07.315+00', '2026-11-23 12:30:07.559+00', NULL, NULL, 14, 'c3cdd03386ee642b94e1c7794a3b9f1ec6b5b58f1be3126c726035ead45cfcc2');
INSERT INTO collab.run_scopes VALUES ('20261123T123006920Z-390994', 'e1b2c20072a332bb29767473', 'events', 'complete', 5, 6, 2279, 6, 0, 0, 0, '2026-11-23 12:30:07.156+00', '2026-11-23 12:30:07.315+00', NULL, NULL, 3, '079b3498320a29341e359ea5955d1ef261fa804f3333cabf7139bb4067dbfdcc');
INSERT INTO collab.run_scopes VALUES ('20261123T123006920Z-390994', 'e1b2c20072a332bb29767473', 'files', 'complete', 6, 12, 5889, 18, 0, 0, 0, '2026-11-23 12:30:07.315+00', '2026-11-23 12:30:07.559+00', NULL, NULL, 13, '58d8583f4ca4ebcb8b3fc05a19996053a4929954e504f8043ff168c31ab28558');
INSERT INTO collab.run_scopes VALUES ('20261123T123006920Z-390994', 'e1b2c20072a332bb29767473', 'webhooks', 'complete', 1, 1, 1060, 3, 0, 0, 0, '2026-11-23 12:30:07.156+00', '2026-11-23 12:30:07.21+00', NULL, NULL, 3, '31ab3cd18edb2cd263519822cc141fee7a36e908bc16aa5c0d5cd801a4a6c422');


--
-- Data for Name: runs; Type: TABLE DATA; Schema: collab; Owner: -
--

INSERT INTO collab.runs VALUES ('20261123T123002329Z-97f04d', '2026-11-23 12:30:02.329+00', '2026-11-23 12:30:02.895+00', 'succeeded', 'http://127.0.0.1:42019', '0.1.0', 55, 0, 74963, NULL, '{"links": null, "streams": ["projects", "tasks", "archived_tasks", "pages", "posts", "events", "files", "webhooks"], "projects": null, "events_to": null, "events_from": null, "named_posts": {}}', true);
INSERT INTO collab.runs VALUES ('20261123T123004442Z-b0f047', '2026-11-23 12:30:04.442+00', '2026-11-23 12:30:05.082+00', 'partial', 'http://127.0.0.1:42019', '0.1.0', 54, 0, 61849, NULL, '{"links": null, "streams": ["projects", "tasks", "archived_tasks", "pages", "posts", "events", "files", "webhooks"], "projects": null, "events_to": null, "events_from": null, "named_posts": {}}', true);
INSERT INTO collab.runs VALUES ('20261123T123006920Z-390994', '2026-11-23 12:30:06.92+00', '2026-11-23 12:30:07.774+00', 'succeeded', 'http://127.0.0.1:42019', '0.1.0', 55, 0, 73888, NULL, '{"links": null, "streams": ["projects", "tasks", "archived_tasks", "pages", "posts", "events", "files", "webhooks"], "projects": null, "events_to": null, "events_from": null, "named_posts": {}}', true);


--
-- Data for Name: schema_version; Type: TABLE DATA; Schema: collab; Owner: -
--

INSERT INTO collab.schema_version VALUES (0, NULL, NULL, NULL);
INSERT INTO collab.schema_version VALUES (1, 'projects_tasks', '4e309600871698e0f04818c3b98026f7', '2026-11-23 12:30:01.989+00');
INSERT INTO collab.schema_version VALUES (2, 'pages_posts_files', 'cfa04cd40c215451ba2e31ce62999a7e', '2026-11-23 12:30:02.017+00');
INSERT INTO collab.schema_version VALUES (3, 'events_webhooks', '17070fc2cce8adbd19c42fa3c3e11e35', '2026-11-23 12:30:02.029+00');
INSERT INTO collab.schema_version VALUES (4, 'ledger', '6986da411eedc301b997a955d6fd8611', '2026-11-23 12:30:02.044+00');
INSERT INTO collab.schema_version VALUES (5, 'history', '2ab79a6bc66b39ea33bec82da98d5bc3', '2026-11-23 12:30:02.186+00');
INSERT INTO collab.schema_version VALUES (6, 'analysis_tasks', 'de2db697bee99929b7d0fa550cb7e465', '2026-11-23 12:30:02.203+00');
INSERT INTO collab.schema_version VALUES (7, 'analysis_work_and_calendar', '6e3e095368acdf269287a8b4ef4b2ab9', '2026-11-23 12:30:02.216+00');
INSERT INTO collab.schema_version VALUES (8, 'run_options', 'd89946065df98ba8aad53d9de3de3b97', '2026-11-23 12:30:02.218+00');
INSERT INTO collab.schema_version VALUES (9, 'comment_files_and_as_of', '666f497002a916d535cd430e05c09dcd', '2026-11-23 12:30:02.265+00');
INSERT INTO collab.schema_version VALUES (10, 'long_ids_rereads_webhook_lists', '5f3a88ae0ee411fa0a7af3bef9086ef5', '2026-11-23 12:30:02.276+00');
INSERT INTO collab.schema_version VALUES (11, 'unlisted_projects', '1d84816c4f96e6faf2aab05c504b6557', '2026-11-23 12:30:02.278+00');
INSERT INTO collab.schema_version VALUES (12, 'ask_again', '1fba0c03673d62c38ccffb8f85dca720', '2026-11-23 12:30:02.28+00');
INSERT INTO collab.schema_version VALUES (13, 'attendees_of_occurrences', 'd090b928a4963dca471bfea12c171efb', '2026-11-23 12:30:02.294+00');
INSERT INTO collab.schema_version VALUES (14, 'unread_items', '053aef434cae1e21f4cb06860dac38db', '2026-11-23 12:30:02.297+00');
INSERT INTO collab.schema_version VALUES (15, 'left_out_fields', '9b741e76eb4aceb108f15c4aa9302779', '2026-11-23 12:30:02.298+00');
INSERT INTO collab.schema_version VALUES (16, 'null_lists', 'f0e240b85fad94f6017ca8c102262ea4', '2026-11-23 12:30:02.298+00');
INSERT INTO collab.schema_version VALUES (17, 'tasks_in_both_lists', 'baa3c695d4c1959bb843d8319db300e2', '2026-11-23 12:30:02.299+00');
INSERT INTO collab.schema_version VALUES (18, 'cut_lists', '7be861b0f0fb9fe23565bffcabbc0814', '2026-11-23 12:30:02.299+00');
INSERT INTO collab.schema_version VALUES (19, 'shown_names', '3810d231d1bde163ec21c795eadbdcdd', '2026-11-23 12:30:02.299+00');


--
-- Data for Name: scopes_to_reread; Type: TABLE DATA; Schema: collab; Owner: -
--



--
-- Data for Name: task_labels; Type: TABLE DATA; Schema: collab; Owner: -
--

INSERT INTO collab.task_labels VALUES ('21a54b047da1e4e65ed701a6', '36262a0a1a81a480ed5ff241', 'blue', 'customer', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_labels VALUES ('21a54b047da1e4e65ed701a6', '53ae8490c7b270a802b6f22c', 'purple', '', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_labels VALUES ('21a54b047da1e4e65ed701a6', '543bae8a8e88f737141462a7', 'red', 'urgent', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_labels VALUES ('21a54b047da1e4e65ed701a6', '8648ca614c55af64816b83e4', 'blue', 'customer', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_labels VALUES ('21a54b047da1e4e65ed701a6', '8648ca614c55af64816b83e4', 'orange', '需要讨论', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_labels VALUES ('21a54b047da1e4e65ed701a6', 'a6fc16cfbd5cfdf67c9e15c7', 'purple', '', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_labels VALUES ('21a54b047da1e4e65ed701a6', 'a6fc16cfbd5cfdf67c9e15c7', 'red', 'urgent', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_labels VALUES ('e1b2c20072a332bb29767473', '0e91797e0e76fa573a81e29a', 'blue', 'customer', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_labels VALUES ('e1b2c20072a332bb29767473', '0e91797e0e76fa573a81e29a', 'green', 'Freigegeben', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_labels VALUES ('e1b2c20072a332bb29767473', '19315075953970cc8ca3384d', 'green', 'Freigegeben', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_labels VALUES ('e1b2c20072a332bb29767473', '1d662f2279bd92455e5d8c43', 'green', 'Freigegeben', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_labels VALUES ('e1b2c20072a332bb29767473', '1d662f2279bd92455e5d8c43', 'orange', '需要讨论', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_labels VALUES ('e1b2c20072a332bb29767473', '39268f891c729da55c06f7e2', 'red', 'urgent', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_labels VALUES ('e1b2c20072a332bb29767473', '4c2fcbc773c9b61c7cdc33e3', 'orange', '需要讨论', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_labels VALUES ('e1b2c20072a332bb29767473', '54baf948889dc16fca1abb6d', 'yellow', '', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_labels VALUES ('e1b2c20072a332bb29767473', '91455313f470efb9604d275a', 'blue', 'customer', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_labels VALUES ('e1b2c20072a332bb29767473', '91455313f470efb9604d275a', 'orange', '需要讨论', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_labels VALUES ('e1b2c20072a332bb29767473', 'a2c15c1d0ccd87a79cd53011', 'orange', '需要讨论', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_labels VALUES ('e1b2c20072a332bb29767473', 'a2c15c1d0ccd87a79cd53011', 'yellow', '', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_labels VALUES ('e1b2c20072a332bb29767473', 'f55b66ce5a55f3eda17157ac', 'red', 'urgent', NULL, '2026-11-23 12:30:02.329+00', NULL);


--
-- Data for Name: task_members; Type: TABLE DATA; Schema: collab; Owner: -
--

INSERT INTO collab.task_members VALUES ('21a54b047da1e4e65ed701a6', '543bae8a8e88f737141462a7', '5e6b99b856bb4eaf981f7ae4', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_members VALUES ('21a54b047da1e4e65ed701a6', '543bae8a8e88f737141462a7', '892badfdea9dbb27e81c5dd7', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_members VALUES ('21a54b047da1e4e65ed701a6', '5bb55b6fa63550d052a98def', '892badfdea9dbb27e81c5dd7', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_members VALUES ('21a54b047da1e4e65ed701a6', '8648ca614c55af64816b83e4', '7a109e98eb57a0755740f719', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_members VALUES ('21a54b047da1e4e65ed701a6', '8648ca614c55af64816b83e4', '8df2fced53d971f052170658', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_members VALUES ('21a54b047da1e4e65ed701a6', '8648ca614c55af64816b83e4', 'f7581dccc68d1c884570ca86', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_members VALUES ('21a54b047da1e4e65ed701a6', '968771be9042f305cfd176ce', '5e6b99b856bb4eaf981f7ae4', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_members VALUES ('21a54b047da1e4e65ed701a6', 'a6fc16cfbd5cfdf67c9e15c7', '8df2fced53d971f052170658', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_members VALUES ('21a54b047da1e4e65ed701a6', 'a6fc16cfbd5cfdf67c9e15c7', 'ca433768b92a2ec690be6ad7', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_members VALUES ('21a54b047da1e4e65ed701a6', 'a6fc16cfbd5cfdf67c9e15c7', 'f631d3b2cbc23dbcc8dff60d', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_members VALUES ('e1b2c20072a332bb29767473', '1722a70281316020af61dde1', '317dae876fa070ea90562758', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_members VALUES ('e1b2c20072a332bb29767473', '19315075953970cc8ca3384d', '233def59b51c5f467b5abfff', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_members VALUES ('e1b2c20072a332bb29767473', '19315075953970cc8ca3384d', '311b83d1b9b73ba2aa07818e', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_members VALUES ('e1b2c20072a332bb29767473', '19315075953970cc8ca3384d', '6d19fa6af86896ae5cc854d6', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_members VALUES ('e1b2c20072a332bb29767473', '1d662f2279bd92455e5d8c43', '233def59b51c5f467b5abfff', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_members VALUES ('e1b2c20072a332bb29767473', '1d662f2279bd92455e5d8c43', '5da80d8d5e77c921833f9675', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_members VALUES ('e1b2c20072a332bb29767473', '39268f891c729da55c06f7e2', '311b83d1b9b73ba2aa07818e', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_members VALUES ('e1b2c20072a332bb29767473', '4c2fcbc773c9b61c7cdc33e3', '9820e679546b31620f3f1a7d', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_members VALUES ('e1b2c20072a332bb29767473', '54baf948889dc16fca1abb6d', '233def59b51c5f467b5abfff', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_members VALUES ('e1b2c20072a332bb29767473', '54baf948889dc16fca1abb6d', '311b83d1b9b73ba2aa07818e', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_members VALUES ('e1b2c20072a332bb29767473', '54baf948889dc16fca1abb6d', '9820e679546b31620f3f1a7d', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_members VALUES ('e1b2c20072a332bb29767473', '618aa6658eb6f2904c6823a5', '480b9d30249b7b5fc28f87bd', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_members VALUES ('e1b2c20072a332bb29767473', '618aa6658eb6f2904c6823a5', '5da80d8d5e77c921833f9675', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_members VALUES ('e1b2c20072a332bb29767473', '91455313f470efb9604d275a', '311b83d1b9b73ba2aa07818e', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_members VALUES ('e1b2c20072a332bb29767473', '91455313f470efb9604d275a', '5e6b99b856bb4eaf981f7ae4', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_members VALUES ('e1b2c20072a332bb29767473', 'a2c15c1d0ccd87a79cd53011', '480b9d30249b7b5fc28f87bd', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_members VALUES ('e1b2c20072a332bb29767473', 'a77a2b9a8dd87d01263eb978', '5e6b99b856bb4eaf981f7ae4', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_members VALUES ('e1b2c20072a332bb29767473', 'fd6afd2349caef8109b32518', '317dae876fa070ea90562758', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_members VALUES ('e1b2c20072a332bb29767473', 'fd6afd2349caef8109b32518', '480b9d30249b7b5fc28f87bd', NULL, '2026-11-23 12:30:02.329+00', NULL);


--
-- Data for Name: task_todos; Type: TABLE DATA; Schema: collab; Owner: -
--

INSERT INTO collab.task_todos VALUES ('21a54b047da1e4e65ed701a6', '543bae8a8e88f737141462a7', '7cde989e34114a5cc73a81fd', '定时任务', false, 65536, NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_todos VALUES ('e1b2c20072a332bb29767473', '1722a70281316020af61dde1', '0a2402a59850f0af8b941d75', 'the "What''s new" page', false, 131072, NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_todos VALUES ('e1b2c20072a332bb29767473', '1722a70281316020af61dde1', '9d677391250c162aa1099a56', 'rate limits', false, 196608, NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_todos VALUES ('e1b2c20072a332bb29767473', '1722a70281316020af61dde1', 'b675b42163f5c7e427cca17d', 'the billing webhook', false, 65536, NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_todos VALUES ('e1b2c20072a332bb29767473', '1722a70281316020af61dde1', 'de15de640d0d558ca09d8089', 'invoice export', false, 262144, NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_todos VALUES ('e1b2c20072a332bb29767473', 'a2c15c1d0ccd87a79cd53011', 'a01f739131b9e1cd6c030e57', 'the changelog', false, 65536, NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_todos VALUES ('e1b2c20072a332bb29767473', 'a77a2b9a8dd87d01263eb978', '40e8123b6fa4dfa5339a0c79', 'nightly backups', false, 65536, NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_todos VALUES ('e1b2c20072a332bb29767473', 'a77a2b9a8dd87d01263eb978', '934596b4f298b777fec12d96', 'password reset', false, 131072, NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_todos VALUES ('e1b2c20072a332bb29767473', 'f55b66ce5a55f3eda17157ac', '56d17d26fe80e9a245082c8c', 'the billing webhook', true, 131072, NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_todos VALUES ('e1b2c20072a332bb29767473', 'f55b66ce5a55f3eda17157ac', 'a7737fe18cc334d603486869', 'image uploads', false, 196608, NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_todos VALUES ('e1b2c20072a332bb29767473', 'f55b66ce5a55f3eda17157ac', 'e4db4f1b3910a4f58be4647d', 'push notifications 🔔', false, 65536, NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_todos VALUES ('e1b2c20072a332bb29767473', 'fd6afd2349caef8109b32518', '2a8a15a904f0997ab7f79f53', 'image uploads', true, 65536, NULL, '2026-11-23 12:30:02.329+00', NULL);


--
-- Data for Name: task_watchers; Type: TABLE DATA; Schema: collab; Owner: -
--

INSERT INTO collab.task_watchers VALUES ('21a54b047da1e4e65ed701a6', '36262a0a1a81a480ed5ff241', '233def59b51c5f467b5abfff', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_watchers VALUES ('21a54b047da1e4e65ed701a6', '36262a0a1a81a480ed5ff241', '7a109e98eb57a0755740f719', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_watchers VALUES ('21a54b047da1e4e65ed701a6', '36262a0a1a81a480ed5ff241', '8df2fced53d971f052170658', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_watchers VALUES ('21a54b047da1e4e65ed701a6', '53ae8490c7b270a802b6f22c', '6d19fa6af86896ae5cc854d6', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_watchers VALUES ('21a54b047da1e4e65ed701a6', '53ae8490c7b270a802b6f22c', '892badfdea9dbb27e81c5dd7', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_watchers VALUES ('21a54b047da1e4e65ed701a6', '543bae8a8e88f737141462a7', '7a109e98eb57a0755740f719', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_watchers VALUES ('21a54b047da1e4e65ed701a6', '5bb55b6fa63550d052a98def', 'a3d80fb174f79e9b7692e75c', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_watchers VALUES ('21a54b047da1e4e65ed701a6', '5bb55b6fa63550d052a98def', 'f631d3b2cbc23dbcc8dff60d', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_watchers VALUES ('21a54b047da1e4e65ed701a6', '8648ca614c55af64816b83e4', 'ca433768b92a2ec690be6ad7', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_watchers VALUES ('21a54b047da1e4e65ed701a6', '968771be9042f305cfd176ce', '5e6b99b856bb4eaf981f7ae4', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_watchers VALUES ('21a54b047da1e4e65ed701a6', 'a6fc16cfbd5cfdf67c9e15c7', '311b83d1b9b73ba2aa07818e', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_watchers VALUES ('21a54b047da1e4e65ed701a6', 'a6fc16cfbd5cfdf67c9e15c7', 'a65668dce93e79d5fe716a94', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_watchers VALUES ('e1b2c20072a332bb29767473', '0e91797e0e76fa573a81e29a', '480b9d30249b7b5fc28f87bd', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_watchers VALUES ('e1b2c20072a332bb29767473', '0e91797e0e76fa573a81e29a', '6d19fa6af86896ae5cc854d6', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_watchers VALUES ('e1b2c20072a332bb29767473', '0e91797e0e76fa573a81e29a', '9820e679546b31620f3f1a7d', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_watchers VALUES ('e1b2c20072a332bb29767473', '1722a70281316020af61dde1', '480b9d30249b7b5fc28f87bd', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_watchers VALUES ('e1b2c20072a332bb29767473', '1722a70281316020af61dde1', '6d19fa6af86896ae5cc854d6', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_watchers VALUES ('e1b2c20072a332bb29767473', '19315075953970cc8ca3384d', '9820e679546b31620f3f1a7d', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_watchers VALUES ('e1b2c20072a332bb29767473', '1d662f2279bd92455e5d8c43', '317dae876fa070ea90562758', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_watchers VALUES ('e1b2c20072a332bb29767473', '1d662f2279bd92455e5d8c43', '5e6b99b856bb4eaf981f7ae4', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_watchers VALUES ('e1b2c20072a332bb29767473', '1d662f2279bd92455e5d8c43', '746c9874c0efb1d0f30c396d', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_watchers VALUES ('e1b2c20072a332bb29767473', '39268f891c729da55c06f7e2', '5da80d8d5e77c921833f9675', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_watchers VALUES ('e1b2c20072a332bb29767473', '4c2fcbc773c9b61c7cdc33e3', '311b83d1b9b73ba2aa07818e', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_watchers VALUES ('e1b2c20072a332bb29767473', '4c2fcbc773c9b61c7cdc33e3', '5e6b99b856bb4eaf981f7ae4', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_watchers VALUES ('e1b2c20072a332bb29767473', '4c2fcbc773c9b61c7cdc33e3', '6d19fa6af86896ae5cc854d6', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_watchers VALUES ('e1b2c20072a332bb29767473', '54baf948889dc16fca1abb6d', '5e6b99b856bb4eaf981f7ae4', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_watchers VALUES ('e1b2c20072a332bb29767473', '618aa6658eb6f2904c6823a5', '317dae876fa070ea90562758', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_watchers VALUES ('e1b2c20072a332bb29767473', '618aa6658eb6f2904c6823a5', '746c9874c0efb1d0f30c396d', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_watchers VALUES ('e1b2c20072a332bb29767473', '618aa6658eb6f2904c6823a5', '9e8f85d9786e0a9414823b1c', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_watchers VALUES ('e1b2c20072a332bb29767473', '91455313f470efb9604d275a', '311b83d1b9b73ba2aa07818e', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_watchers VALUES ('e1b2c20072a332bb29767473', 'a2c15c1d0ccd87a79cd53011', '9820e679546b31620f3f1a7d', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_watchers VALUES ('e1b2c20072a332bb29767473', 'a77a2b9a8dd87d01263eb978', '5da80d8d5e77c921833f9675', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_watchers VALUES ('e1b2c20072a332bb29767473', 'a77a2b9a8dd87d01263eb978', '5e6b99b856bb4eaf981f7ae4', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_watchers VALUES ('e1b2c20072a332bb29767473', 'f55b66ce5a55f3eda17157ac', '233def59b51c5f467b5abfff', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_watchers VALUES ('e1b2c20072a332bb29767473', 'fd6afd2349caef8109b32518', '317dae876fa070ea90562758', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.task_watchers VALUES ('e1b2c20072a332bb29767473', 'fd6afd2349caef8109b32518', '5e6b99b856bb4eaf981f7ae4', NULL, '2026-11-23 12:30:02.329+00', NULL);


--
-- Data for Name: tasks; Type: TABLE DATA; Schema: collab; Owner: -
--

INSERT INTO collab.tasks VALUES ('21a54b047da1e4e65ed701a6', '36262a0a1a81a480ed5ff241', '7c25198295bf24e6438b1453', 'a NUL: �, which Postgres refuses; 中文, עברית, "quotes", back\slash', '', 65536, true, '2026-06-10 18:15:47.577+00', NULL, '2026-06-08 22:31:07.304+00', '2026-06-10 18:15:47.577+00', false, 0, 0, 0, 1, NULL, '2026-11-23 12:30:02.329+00', NULL, NULL);
INSERT INTO collab.tasks VALUES ('21a54b047da1e4e65ed701a6', '53ae8490c7b270a802b6f22c', '568cce4d1eea209a840452dd', '跟进支付接口进度', '需求还没有最终确定，先按照原型图开发。', 131072, false, NULL, NULL, '2022-10-06 00:02:46.581+00', '2022-11-09 00:26:05.905+00', false, 0, 0, 0, 0, NULL, '2026-11-23 12:30:02.329+00', NULL, 'e4e9064d-72cf-649c-2807-9a7f45939946');
INSERT INTO collab.tasks VALUES ('21a54b047da1e4e65ed701a6', '543bae8a8e88f737141462a7', '7c25198295bf24e6438b1453', '上线报表统计', '需求还没有最终确定，先按照原型图开发。 目前平均响应时间为 95 毫秒，比上个版本缩短了一半。', NULL, false, NULL, '2026-06-14 23:59:59+00', '2024-12-03 16:33:08.66+00', '2026-04-02 19:47:39.378+00', true, 0, 1, 0, 4, NULL, '2026-11-23 12:30:02.329+00', NULL, '9379bfd3-9466-864b-43cb-e32c8c232068');
INSERT INTO collab.tasks VALUES ('21a54b047da1e4e65ed701a6', '5bb55b6fa63550d052a98def', 'f8e26c6e272a046a383e5ac1', '评审日志系统方案', '', 327680, false, NULL, NULL, '2025-08-22 13:40:09.465+00', '2025-08-25 05:56:55.289+00', false, 0, 0, 0, 0, NULL, '2026-11-23 12:30:02.329+00', NULL, '1e717068-8a32-006c-1a45-d069b49066a9');
INSERT INTO collab.tasks VALUES ('21a54b047da1e4e65ed701a6', '8648ca614c55af64816b83e4', '568cce4d1eea209a840452dd', '评审报表统计方案', '', NULL, false, NULL, '2026-06-16 23:59:59+00', '2020-12-02 09:00:58.102+00', '2020-12-04 13:18:51.951+00', true, 0, 0, 0, 3, NULL, '2026-11-23 12:30:02.329+00', NULL, 'f7ea7dfb-a330-2990-abcf-3624e7c66b0e');
INSERT INTO collab.tasks VALUES ('21a54b047da1e4e65ed701a6', '968771be9042f305cfd176ce', 'cfba98345470c6f64d69ac97', '优化用户反馈性能', '测试环境已经部署完成，账号密码见内部文档。', 196608, false, NULL, '2026-06-15 23:59:59+00', '2024-09-17 02:19:05.491+00', '2024-09-22 02:52:42.571+00', false, 6, 0, 0, 0, NULL, '2026-11-23 12:30:02.329+00', NULL, '73ebede1-49aa-39dc-a27c-57e664f0177c');
INSERT INTO collab.tasks VALUES ('21a54b047da1e4e65ed701a6', 'a6fc16cfbd5cfdf67c9e15c7', '568cce4d1eea209a840452dd', '优化首页改版性能', '请各位在周五下班前完成自测，并把结果填写到表格里。 目前平均响应时间为 95 毫秒，比上个版本缩短了一半。', 262144, true, '2019-10-20 12:52:32.943+00', NULL, '2019-10-20 12:52:32.941+00', '2019-10-20 12:52:32.943+00', false, 0, 0, 0, 4, NULL, '2026-11-23 12:30:02.329+00', NULL, '10ad6e9b-cba0-27eb-386b-8991ddfdb216');
INSERT INTO collab.tasks VALUES ('e1b2c20072a332bb29767473', '0e91797e0e76fa573a81e29a', 'ef2e50a8a3cb39194e8fc9b8', 'Document CSV import', 'We agreed to ship the smallest thing that helps and to look at the numbers after a week. This follows from https://collab.example/project/e1b2c20072a332bb29767473/posts/89d92697a40d98c667479fa4.', 262144, false, NULL, '2026-06-05 23:59:59+00', '2019-09-20 16:29:06.811+00', '2020-02-27 14:44:16.254+00', false, 12, 0, 0, 0, NULL, '2026-11-23 12:30:02.329+00', NULL, '5a04f5c6-c13f-bb51-1dac-6f6daa81dff8');
INSERT INTO collab.tasks VALUES ('e1b2c20072a332bb29767473', '1722a70281316020af61dde1', '1a748faa2dd2d72ae3f5fd31', 'Speed up invoice export (p95 > 2 s)', '', 524288, false, NULL, NULL, '2023-08-17 08:22:00.672+00', '2025-09-09 09:54:33.191+00', false, 2, 4, 0, 0, NULL, '2026-11-23 12:30:02.329+00', NULL, '04b5ccdb-01e3-08d7-678c-d295da3649d8');
INSERT INTO collab.tasks VALUES ('e1b2c20072a332bb29767473', '19315075953970cc8ca3384d', 'ef2e50a8a3cb39194e8fc9b8', 'Fix push notifications 🔔 on Safari', 'If in doubt, ask in the channel before you merge.', 327680, false, NULL, '2026-07-01 23:59:59+00', '2024-03-29 04:49:40.376+00', '2024-09-14 16:32:54.152+00', false, 0, 0, 0, 0, NULL, '2026-11-23 12:30:02.329+00', NULL, 'a3a93d54-ff89-9039-a3c8-9be3ac2ae2ad');
INSERT INTO collab.tasks VALUES ('e1b2c20072a332bb29767473', '1d662f2279bd92455e5d8c43', 'dacae2e594326703125b6b5b', 'Speed up CSV import (p95 > 2 s)', '', 393216, true, '2021-12-19 08:22:08.914+00', '2026-07-24 23:59:59+00', '2021-11-19 03:13:58.259+00', '2021-12-19 08:22:08.914+00', false, 0, 0, 0, 3, NULL, '2026-11-23 12:30:02.329+00', NULL, '6195d108-5ef0-dc2a-1588-8ca84b3f51c2');
INSERT INTO collab.tasks VALUES ('e1b2c20072a332bb29767473', '39268f891c729da55c06f7e2', 'de80a4b467a7681a37853752', 'Decide who owns dark mode', 'Nothing here is final; leave a comment where you disagree. We agreed to ship the smallest thing that helps and to look at the numbers after a week.', NULL, false, NULL, NULL, '2023-03-02 06:46:59.731+00', '2023-06-14 23:57:40.845+00', true, 0, 0, 0, 0, NULL, '2026-11-23 12:30:02.329+00', NULL, '0a614faa-476d-b7a0-7a9b-a8bc08826efa');
INSERT INTO collab.tasks VALUES ('e1b2c20072a332bb29767473', '4c2fcbc773c9b61c7cdc33e3', 'dacae2e594326703125b6b5b', 'Write tests for the billing webhook', 'We agreed to ship the smallest thing that helps and to look at the numbers after a week. Costs are about $1,200 a month, 30% less than last year.', NULL, true, NULL, NULL, '2021-10-06 22:09:20.296+00', '2021-10-07 03:13:17.648+00', true, 6, 0, 0, 0, NULL, '2026-11-23 12:30:02.329+00', NULL, 'd3044da5-cb50-7da9-a44d-355a84c429ef');
INSERT INTO collab.tasks VALUES ('e1b2c20072a332bb29767473', '618aa6658eb6f2904c6823a5', 'ef2e50a8a3cb39194e8fc9b8', 'Write tests for rate limits', 'Costs are about $1,200 a month, 30% less than last year. The old behaviour stays behind a flag until everyone has moved.', NULL, false, NULL, '2026-06-15 23:59:59+00', '2025-12-17 11:29:46.837+00', '2025-12-31 17:37:02.549+00', true, 0, 0, 0, 0, NULL, '2026-11-23 12:30:02.329+00', NULL, '402a7baf-91f0-ae1d-b485-924d55ebe80a');
INSERT INTO collab.tasks VALUES ('e1b2c20072a332bb29767473', '91455313f470efb9604d275a', 'dacae2e594326703125b6b5b', 'Speed up the sign-up form (p95 > 2 s)', '', 196608, false, NULL, '2026-06-15 23:59:59+00', '2025-09-21 16:54:18.31+00', '2025-10-24 04:12:16.997+00', false, 0, 0, 0, 2, NULL, '2026-11-23 12:30:02.329+00', NULL, 'a3a028b4-5a5e-47f9-691f-520799142aa7');
INSERT INTO collab.tasks VALUES ('e1b2c20072a332bb29767473', 'a2c15c1d0ccd87a79cd53011', '1a748faa2dd2d72ae3f5fd31', 'Fix invoice export on Safari', '', 589824, false, NULL, NULL, '2021-06-21 14:15:21.175+00', '2022-11-27 16:40:22.812+00', false, 0, 1, 0, 2, NULL, '2026-11-23 12:30:02.329+00', NULL, '29a17874-27d7-59cb-2b7b-fb54f0ba5b31');
INSERT INTO collab.tasks VALUES ('e1b2c20072a332bb29767473', 'a77a2b9a8dd87d01263eb978', 'c8ba206d0be9c0d197ad3bd0', 'Document the "What''s new" page', 'The old behaviour stays behind a flag until everyone has moved. The old behaviour stays behind a flag until everyone has moved.', 458752, true, '2024-01-10 04:31:54.574+00', NULL, '2023-02-01 01:54:12.724+00', '2024-01-10 04:31:54.574+00', false, 0, 2, 0, 0, NULL, '2026-11-23 12:30:02.329+00', NULL, '07dcfc85-c507-62d5-115d-3eadd8cb6e8a');
INSERT INTO collab.tasks VALUES ('e1b2c20072a332bb29767473', 'f55b66ce5a55f3eda17157ac', 'c8ba206d0be9c0d197ad3bd0', 'Fix the search index on Safari', '', NULL, false, NULL, NULL, '2022-10-21 11:09:49.825+00', '2022-12-11 15:48:28.904+00', true, 10, 3, 1, 0, NULL, '2026-11-23 12:30:02.329+00', NULL, '4ab06613-98d2-55b3-3fb0-96bb852c4dea');
INSERT INTO collab.tasks VALUES ('e1b2c20072a332bb29767473', '54baf948889dc16fca1abb6d', 'dacae2e594326703125b6b5b', 'a NUL: �, which Postgres refuses; 中文, עברית, "quotes", back\slash', 'changed before the second snapshot', 65536, false, NULL, NULL, '2022-09-05 22:10:22.263+00', '2026-05-13 19:11:34.913+00', false, 0, 0, 0, 0, NULL, '2026-11-23 12:30:04.442+00', NULL, NULL);
INSERT INTO collab.tasks VALUES ('e1b2c20072a332bb29767473', 'fd6afd2349caef8109b32518', 'ef2e50a8a3cb39194e8fc9b8', 'Decide who owns nightly backups', 'Nothing here is final; leave a comment where you disagree.', NULL, false, NULL, NULL, '2023-05-29 04:07:42.707+00', '2024-06-19 03:34:03.479+00', true, 0, 1, 1, 2, NULL, '2026-11-23 12:30:04.442+00', NULL, '7f5c3dfb-aa58-f3ec-500a-6034c5697e09');


--
-- Data for Name: unread_items; Type: TABLE DATA; Schema: collab; Owner: -
--

INSERT INTO collab.unread_items VALUES ('20261123T123004442Z-b0f047', '21a54b047da1e4e65ed701a6', 'posts', '084e246d7ffcf8e31a600a3b', 'page', 'HTTP_500', 'posts.get: the service, or a gateway before it, answered with HTTP 500 (text/html), without an error of the service', '2026-11-23 12:30:04.442+00');
INSERT INTO collab.unread_items VALUES ('20261123T123004442Z-b0f047', 'e1b2c20072a332bb29767473', 'posts', '85902403c02b1e75d11aea67', 'page', 'HTTP_500', 'posts.get: the service, or a gateway before it, answered with HTTP 500 (text/html), without an error of the service', '2026-11-23 12:30:04.442+00');
INSERT INTO collab.unread_items VALUES ('20261123T123004442Z-b0f047', 'e1b2c20072a332bb29767473', 'posts', '89d92697a40d98c667479fa4', 'task', 'HTTP_500', 'posts.get: the service, or a gateway before it, answered with HTTP 500 (text/html), without an error of the service', '2026-11-23 12:30:04.442+00');
INSERT INTO collab.unread_items VALUES ('20261123T123004442Z-b0f047', 'e1b2c20072a332bb29767473', 'posts', 'd9f4e558d33a8754e902b1c9', 'page', 'HTTP_500', 'posts.get: the service, or a gateway before it, answered with HTTP 500 (text/html), without an error of the service', '2026-11-23 12:30:04.442+00');


--
-- Data for Name: users; Type: TABLE DATA; Schema: collab; Owner: -
--

INSERT INTO collab.users VALUES ('233def59b51c5f467b5abfff', '佐藤 健', 'sato', 'sato.png', 'خدمة العملاء', 1, 3, NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.users VALUES ('311b83d1b9b73ba2aa07818e', '歐陽婉兒', 'waner', 'waner.png', 'خدمة العملاء', 1, 2, NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.users VALUES ('53890ae6952a58afd16648c4', 'Maya Okafor', 'maya', 'maya.png', '', 1, 2, NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.users VALUES ('6d19fa6af86896ae5cc854d6', 'ليلى حدّاد', 'layla', 'layla.png', 'Design & UX', 1, 0, NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.users VALUES ('7a109e98eb57a0755740f719', 'Björn Weiß', 'bjoern', 'bjoern.png', 'Backend', 1, 3, NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.users VALUES ('892badfdea9dbb27e81c5dd7', '李静', 'lijing', 'default.png', 'Backend', 2, 0, NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.users VALUES ('8df2fced53d971f052170658', '王小明', 'xiaoming', 'xiaoming.png', '', 1, 2, NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.users VALUES ('a3d80fb174f79e9b7692e75c', '赵雨桐', 'yutong', 'yutong.png', '🌱 new here', 1, 0, NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.users VALUES ('a65668dce93e79d5fe716a94', 'Jordan Reyes', 'jreyes', 'jreyes.png', '', 1, 3, NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.users VALUES ('ca433768b92a2ec690be6ad7', 'عمر الفاروق', 'omar', 'default.png', '', 2, 0, NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.users VALUES ('f631d3b2cbc23dbcc8dff60d', '陈思远', 'siyuan', 'siyuan.png', 'Qualitätssicherung', 1, 1, NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.users VALUES ('f7581dccc68d1c884570ca86', 'Luke "Lucky" Santos', 'lucky', 'lucky.png', '🌱 new here', 1, 2, NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.users VALUES ('317dae876fa070ea90562758', 'Tom Whitfield', 'tomw', 'tomw.png', '', 1, 3, NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.users VALUES ('480b9d30249b7b5fc28f87bd', 'Änne Müller-Lüdenscheidt', 'aenne', 'aenne.png', '', 1, 1, NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.users VALUES ('5da80d8d5e77c921833f9675', 'Katharina von der Heide', 'kati', 'kati.png', 'Qualitätssicherung', 1, 2, NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.users VALUES ('746c9874c0efb1d0f30c396d', '髙橋 大輔', 'daisuke', 'daisuke.png', 'خدمة العملاء', 1, 2, NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.users VALUES ('9820e679546b31620f3f1a7d', 'سارة بن علي', 'sara', 'sara.png', '', 1, 2, NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.users VALUES ('9e8f85d9786e0a9414823b1c', 'Priya Raman', 'priya', 'priya.png', 'خدمة العملاء', 1, 3, NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.users VALUES ('5e6b99b856bb4eaf981f7ae4', 'Nora Lindqvist', 'Renamed', 'nora.png', 'Operations', 1, 1, NULL, '2026-11-23 12:30:04.442+00', NULL);


--
-- Data for Name: webhook_lists; Type: TABLE DATA; Schema: collab; Owner: -
--

INSERT INTO collab.webhook_lists VALUES ('e8192909f95dda68d03d4afe', '', '{"uid": "5e6b99b856bb4eaf981f7ae4", "url": "https://hooks.example.com/in/e8192909", "name": "Zapier", "type": 1, "extra": null, "actions": [], "is_every": true, "created_at": "2020-07-19T20:08:02.724+00:00", "updated_at": "2025-02-24T14:04:33.793+00:00"}');
INSERT INTO collab.webhook_lists VALUES ('b1fa0136a87da5df9bbae36a', '', '{"uid": "5e6b99b856bb4eaf981f7ae4", "url": "https://hooks.example.com/in/b1fa0136", "name": "Zapier", "type": 1, "extra": null, "actions": [], "is_every": true, "created_at": "2024-11-04T22:38:23.22+00:00", "updated_at": "2024-11-05T03:52:15.856+00:00"}');
INSERT INTO collab.webhook_lists VALUES ('efc2c1eb599aee6037ab25e2', 'e1b2c20072a332bb29767473', '{"uid": "311b83d1b9b73ba2aa07818e", "url": "https://hooks.example.com/in/efc2c1eb", "name": "Slack bridge", "type": 0, "extra": null, "actions": ["task.created", "comment.created", "page.updated"], "is_every": false, "created_at": "2024-07-11T12:22:54.677+00:00", "updated_at": "2024-08-11T12:33:29.738+00:00"}');
INSERT INTO collab.webhook_lists VALUES ('2785ff01bbfba6b546697f33', 'e1b2c20072a332bb29767473', '{"uid": "311b83d1b9b73ba2aa07818e", "url": "https://hooks.example.com/in/2785ff01", "name": "Berichtswesen", "type": 0, "extra": null, "actions": ["task.created", "comment.created", "page.updated"], "is_every": false, "created_at": "2022-01-25T18:46:16.523+00:00", "updated_at": "2024-04-25T09:17:17.631+00:00"}');
INSERT INTO collab.webhook_lists VALUES ('5f5b61af2ecf6beb80f9b662', 'e1b2c20072a332bb29767473', '{"uid": "233def59b51c5f467b5abfff", "url": "https://hooks.example.com/in/5f5b61af", "name": "CI", "type": 0, "extra": null, "actions": ["task.created", "task.completed", "comment.created", "post.created", "page.updated", "file.uploaded"], "is_every": true, "created_at": "2021-10-16T20:05:49.34+00:00", "updated_at": "2021-11-21T03:27:47.842+00:00"}');


--
-- Data for Name: webhooks; Type: TABLE DATA; Schema: collab; Owner: -
--

INSERT INTO collab.webhooks VALUES ('b1fa0136a87da5df9bbae36a', NULL, '5e6b99b856bb4eaf981f7ae4', 'Zapier', 'https://hooks.example.com/in/b1fa0136', '{}', true, 1, '2024-11-04 22:38:23.22+00', '2024-11-05 03:52:15.856+00', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.webhooks VALUES ('e8192909f95dda68d03d4afe', NULL, '5e6b99b856bb4eaf981f7ae4', 'Zapier', 'https://hooks.example.com/in/e8192909', '{}', true, 1, '2020-07-19 20:08:02.724+00', '2025-02-24 14:04:33.793+00', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.webhooks VALUES ('2785ff01bbfba6b546697f33', 'e1b2c20072a332bb29767473', '311b83d1b9b73ba2aa07818e', 'Berichtswesen', 'https://hooks.example.com/in/2785ff01', '{task.created,comment.created,page.updated}', false, 0, '2022-01-25 18:46:16.523+00', '2024-04-25 09:17:17.631+00', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.webhooks VALUES ('5f5b61af2ecf6beb80f9b662', 'e1b2c20072a332bb29767473', '233def59b51c5f467b5abfff', 'CI', 'https://hooks.example.com/in/5f5b61af', '{task.created,task.completed,comment.created,post.created,page.updated,file.uploaded}', true, 0, '2021-10-16 20:05:49.34+00', '2021-11-21 03:27:47.842+00', NULL, '2026-11-23 12:30:02.329+00', NULL);
INSERT INTO collab.webhooks VALUES ('efc2c1eb599aee6037ab25e2', 'e1b2c20072a332bb29767473', '311b83d1b9b73ba2aa07818e', 'Slack bridge', 'https://hooks.example.com/in/efc2c1eb', '{task.created,comment.created,page.updated}', false, 0, '2024-07-11 12:22:54.677+00', '2024-08-11 12:33:29.738+00', NULL, '2026-11-23 12:30:02.329+00', NULL);


--
-- Data for Name: comment_files; Type: TABLE DATA; Schema: collab_history; Owner: -
--



--
-- Data for Name: entries; Type: TABLE DATA; Schema: collab_history; Owner: -
--



--
-- Data for Name: event_attendees; Type: TABLE DATA; Schema: collab_history; Owner: -
--

INSERT INTO collab_history.event_attendees VALUES ('e1b2c20072a332bb29767473', 'ef9ee8cceb1255672e2e36e7', '233def59b51c5f467b5abfff', NULL, '2026-11-23 12:30:02.329+00', '2026-11-23 12:30:04.442+00', '2026-06-15 11:30:00+00');
INSERT INTO collab_history.event_attendees VALUES ('e1b2c20072a332bb29767473', 'ef9ee8cceb1255672e2e36e7', '317dae876fa070ea90562758', NULL, '2026-11-23 12:30:02.329+00', '2026-11-23 12:30:04.442+00', '2026-06-15 11:30:00+00');
INSERT INTO collab_history.event_attendees VALUES ('e1b2c20072a332bb29767473', 'ef9ee8cceb1255672e2e36e7', '480b9d30249b7b5fc28f87bd', NULL, '2026-11-23 12:30:02.329+00', '2026-11-23 12:30:04.442+00', '2026-06-15 11:30:00+00');
INSERT INTO collab_history.event_attendees VALUES ('e1b2c20072a332bb29767473', 'ef9ee8cceb1255672e2e36e7', '5e6b99b856bb4eaf981f7ae4', NULL, '2026-11-23 12:30:02.329+00', '2026-11-23 12:30:04.442+00', '2026-06-15 11:30:00+00');
INSERT INTO collab_history.event_attendees VALUES ('e1b2c20072a332bb29767473', 'ef9ee8cceb1255672e2e36e7', '9820e679546b31620f3f1a7d', NULL, '2026-11-23 12:30:02.329+00', '2026-11-23 12:30:04.442+00', '2026-06-15 11:30:00+00');


--
-- Data for Name: events; Type: TABLE DATA; Schema: collab_history; Owner: -
--

INSERT INTO collab_history.events VALUES ('e1b2c20072a332bb29767473', 'ef9ee8cceb1255672e2e36e7', '2026-06-15 11:30:00+00', '2026-06-15 13:00:00+00', 'Demo day 🎉', '', NULL, NULL, NULL, 2, NULL, '2026-11-23 12:30:02.329+00', '2026-11-23 12:30:04.442+00');


--
-- Data for Name: file_comments; Type: TABLE DATA; Schema: collab_history; Owner: -
--



--
-- Data for Name: file_watchers; Type: TABLE DATA; Schema: collab_history; Owner: -
--



--
-- Data for Name: files; Type: TABLE DATA; Schema: collab_history; Owner: -
--



--
-- Data for Name: page_watchers; Type: TABLE DATA; Schema: collab_history; Owner: -
--



--
-- Data for Name: pages; Type: TABLE DATA; Schema: collab_history; Owner: -
--

INSERT INTO collab_history.pages VALUES ('e1b2c20072a332bb29767473', '6baa340313d35e28bbaf5ecf', 'f4403cb794b1b63a4b498587', 'Glossary', '# What changes Costs are about $1,200 a month, 30% less than last year. This follows from <a href="https://collab.example/project/e1b2c20072', '# What changes

Costs are about $1,200 a month, 30% less than last year.

This follows from <a href="https://collab.example/project/e1b2c20072a332bb29767473/page/f4403cb794b1b63a4b498587">Architecture</a>.

- [x] Nothing here is final; leave a comment where you disagree.
- [ ] Use `--dry-run` first; it prints what it would do and touches nothing.

~~~ts
// In code, [this](/project/PID/page/PAGE_ID) is no link.
export const half = (n: number): number => n / 2
~~~

> We agreed to ship the smallest thing that helps and to look at the numbers after a week.
>
> The old behaviour stays behind a flag until everyone has moved.
', '2021-04-16 12:42:50.491+00', '2021-08-27 18:13:28.578+00', '311b83d1b9b73ba2aa07818e', NULL, '2026-11-23 12:30:02.329+00', '2026-11-23 12:30:04.442+00');


--
-- Data for Name: post_comments; Type: TABLE DATA; Schema: collab_history; Owner: -
--



--
-- Data for Name: post_watchers; Type: TABLE DATA; Schema: collab_history; Owner: -
--



--
-- Data for Name: posts; Type: TABLE DATA; Schema: collab_history; Owner: -
--



--
-- Data for Name: project_labels; Type: TABLE DATA; Schema: collab_history; Owner: -
--



--
-- Data for Name: projects; Type: TABLE DATA; Schema: collab_history; Owner: -
--



--
-- Data for Name: task_labels; Type: TABLE DATA; Schema: collab_history; Owner: -
--



--
-- Data for Name: task_members; Type: TABLE DATA; Schema: collab_history; Owner: -
--



--
-- Data for Name: task_todos; Type: TABLE DATA; Schema: collab_history; Owner: -
--



--
-- Data for Name: task_watchers; Type: TABLE DATA; Schema: collab_history; Owner: -
--



--
-- Data for Name: tasks; Type: TABLE DATA; Schema: collab_history; Owner: -
--

INSERT INTO collab_history.tasks VALUES ('e1b2c20072a332bb29767473', '54baf948889dc16fca1abb6d', 'dacae2e594326703125b6b5b', 'a NUL: �, which Postgres refuses; 中文, עברית, "quotes", back\slash', '', 65536, false, NULL, NULL, '2022-09-05 22:10:22.263+00', '2026-05-13 19:11:34.913+00', false, 0, 0, 0, 0, NULL, '2026-11-23 12:30:02.329+00', '2026-11-23 12:30:04.442+00');
INSERT INTO collab_history.tasks VALUES ('e1b2c20072a332bb29767473', 'fd6afd2349caef8109b32518', 'ef2e50a8a3cb39194e8fc9b8', 'Decide who owns nightly backups', 'Nothing here is final; leave a comment where you disagree.', 131072, false, NULL, NULL, '2023-05-29 04:07:42.707+00', '2024-06-19 03:34:03.479+00', false, 0, 1, 1, 2, NULL, '2026-11-23 12:30:02.329+00', '2026-11-23 12:30:04.442+00');


--
-- Data for Name: users; Type: TABLE DATA; Schema: collab_history; Owner: -
--

INSERT INTO collab_history.users VALUES ('5e6b99b856bb4eaf981f7ae4', 'Nora Lindqvist', 'nora', 'nora.png', 'Operations', 1, 1, NULL, '2026-11-23 12:30:02.329+00', '2026-11-23 12:30:04.442+00');


--
-- Data for Name: webhooks; Type: TABLE DATA; Schema: collab_history; Owner: -
--



--
-- Name: comment_files comment_files_pkey; Type: CONSTRAINT; Schema: collab; Owner: -
--

ALTER TABLE ONLY collab.comment_files
    ADD CONSTRAINT comment_files_pkey PRIMARY KEY (pid, parent_kind, parent_id, cid, fid);


--
-- Name: entries entries_pkey; Type: CONSTRAINT; Schema: collab; Owner: -
--

ALTER TABLE ONLY collab.entries
    ADD CONSTRAINT entries_pkey PRIMARY KEY (pid, entry_id);


--
-- Name: event_attendees event_attendees_pkey; Type: CONSTRAINT; Schema: collab; Owner: -
--

ALTER TABLE ONLY collab.event_attendees
    ADD CONSTRAINT event_attendees_pkey PRIMARY KEY (pid, event_id, starts_at, uid);


--
-- Name: events events_pkey; Type: CONSTRAINT; Schema: collab; Owner: -
--

ALTER TABLE ONLY collab.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (pid, event_id, starts_at);


--
-- Name: file_comments file_comments_pkey; Type: CONSTRAINT; Schema: collab; Owner: -
--

ALTER TABLE ONLY collab.file_comments
    ADD CONSTRAINT file_comments_pkey PRIMARY KEY (pid, fid, cid);


--
-- Name: file_watchers file_watchers_pkey; Type: CONSTRAINT; Schema: collab; Owner: -
--

ALTER TABLE ONLY collab.file_watchers
    ADD CONSTRAINT file_watchers_pkey PRIMARY KEY (pid, fid, uid);


--
-- Name: files files_pkey; Type: CONSTRAINT; Schema: collab; Owner: -
--

ALTER TABLE ONLY collab.files
    ADD CONSTRAINT files_pkey PRIMARY KEY (pid, fid);


--
-- Name: known_files known_files_pkey; Type: CONSTRAINT; Schema: collab; Owner: -
--

ALTER TABLE ONLY collab.known_files
    ADD CONSTRAINT known_files_pkey PRIMARY KEY (pid, fid);


--
-- Name: known_posts known_posts_pkey; Type: CONSTRAINT; Schema: collab; Owner: -
--

ALTER TABLE ONLY collab.known_posts
    ADD CONSTRAINT known_posts_pkey PRIMARY KEY (pid, post_id);


--
-- Name: losses losses_pkey; Type: CONSTRAINT; Schema: collab; Owner: -
--

ALTER TABLE ONLY collab.losses
    ADD CONSTRAINT losses_pkey PRIMARY KEY (run_id, seq);


--
-- Name: page_watchers page_watchers_pkey; Type: CONSTRAINT; Schema: collab; Owner: -
--

ALTER TABLE ONLY collab.page_watchers
    ADD CONSTRAINT page_watchers_pkey PRIMARY KEY (pid, page_id, uid);


--
-- Name: pages pages_pkey; Type: CONSTRAINT; Schema: collab; Owner: -
--

ALTER TABLE ONLY collab.pages
    ADD CONSTRAINT pages_pkey PRIMARY KEY (pid, page_id);


--
-- Name: post_comments post_comments_pkey; Type: CONSTRAINT; Schema: collab; Owner: -
--

ALTER TABLE ONLY collab.post_comments
    ADD CONSTRAINT post_comments_pkey PRIMARY KEY (pid, post_id, cid);


--
-- Name: post_watchers post_watchers_pkey; Type: CONSTRAINT; Schema: collab; Owner: -
--

ALTER TABLE ONLY collab.post_watchers
    ADD CONSTRAINT post_watchers_pkey PRIMARY KEY (pid, post_id, uid);


--
-- Name: posts posts_pkey; Type: CONSTRAINT; Schema: collab; Owner: -
--

ALTER TABLE ONLY collab.posts
    ADD CONSTRAINT posts_pkey PRIMARY KEY (pid, post_id);


--
-- Name: project_labels project_labels_pkey; Type: CONSTRAINT; Schema: collab; Owner: -
--

ALTER TABLE ONLY collab.project_labels
    ADD CONSTRAINT project_labels_pkey PRIMARY KEY (pid, name);


--
-- Name: projects projects_pkey; Type: CONSTRAINT; Schema: collab; Owner: -
--

ALTER TABLE ONLY collab.projects
    ADD CONSTRAINT projects_pkey PRIMARY KEY (pid);


--
-- Name: run_scopes run_scopes_pkey; Type: CONSTRAINT; Schema: collab; Owner: -
--

ALTER TABLE ONLY collab.run_scopes
    ADD CONSTRAINT run_scopes_pkey PRIMARY KEY (run_id, pid, stream);


--
-- Name: runs runs_pkey; Type: CONSTRAINT; Schema: collab; Owner: -
--

ALTER TABLE ONLY collab.runs
    ADD CONSTRAINT runs_pkey PRIMARY KEY (run_id);


--
-- Name: schema_version schema_version_pkey; Type: CONSTRAINT; Schema: collab; Owner: -
--

ALTER TABLE ONLY collab.schema_version
    ADD CONSTRAINT schema_version_pkey PRIMARY KEY (version);


--
-- Name: scopes_to_reread scopes_to_reread_pkey; Type: CONSTRAINT; Schema: collab; Owner: -
--

ALTER TABLE ONLY collab.scopes_to_reread
    ADD CONSTRAINT scopes_to_reread_pkey PRIMARY KEY (pid, stream);


--
-- Name: task_labels task_labels_pkey; Type: CONSTRAINT; Schema: collab; Owner: -
--

ALTER TABLE ONLY collab.task_labels
    ADD CONSTRAINT task_labels_pkey PRIMARY KEY (pid, tid, name);


--
-- Name: task_members task_members_pkey; Type: CONSTRAINT; Schema: collab; Owner: -
--

ALTER TABLE ONLY collab.task_members
    ADD CONSTRAINT task_members_pkey PRIMARY KEY (pid, tid, uid);


--
-- Name: task_todos task_todos_pkey; Type: CONSTRAINT; Schema: collab; Owner: -
--

ALTER TABLE ONLY collab.task_todos
    ADD CONSTRAINT task_todos_pkey PRIMARY KEY (pid, tid, todo_id);


--
-- Name: task_watchers task_watchers_pkey; Type: CONSTRAINT; Schema: collab; Owner: -
--

ALTER TABLE ONLY collab.task_watchers
    ADD CONSTRAINT task_watchers_pkey PRIMARY KEY (pid, tid, uid);


--
-- Name: tasks tasks_pkey; Type: CONSTRAINT; Schema: collab; Owner: -
--

ALTER TABLE ONLY collab.tasks
    ADD CONSTRAINT tasks_pkey PRIMARY KEY (pid, tid);


--
-- Name: unread_items unread_items_pkey; Type: CONSTRAINT; Schema: collab; Owner: -
--

ALTER TABLE ONLY collab.unread_items
    ADD CONSTRAINT unread_items_pkey PRIMARY KEY (run_id, pid, stream, item_id);


--
-- Name: users users_pkey; Type: CONSTRAINT; Schema: collab; Owner: -
--

ALTER TABLE ONLY collab.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (uid);


--
-- Name: webhook_lists webhook_lists_pkey; Type: CONSTRAINT; Schema: collab; Owner: -
--

ALTER TABLE ONLY collab.webhook_lists
    ADD CONSTRAINT webhook_lists_pkey PRIMARY KEY (wid, pid);


--
-- Name: webhooks webhooks_pkey; Type: CONSTRAINT; Schema: collab; Owner: -
--

ALTER TABLE ONLY collab.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (wid);


--
-- Name: comment_files comment_files_pkey; Type: CONSTRAINT; Schema: collab_history; Owner: -
--

ALTER TABLE ONLY collab_history.comment_files
    ADD CONSTRAINT comment_files_pkey PRIMARY KEY (pid, parent_kind, parent_id, cid, fid, valid_from);


--
-- Name: entries entries_pkey; Type: CONSTRAINT; Schema: collab_history; Owner: -
--

ALTER TABLE ONLY collab_history.entries
    ADD CONSTRAINT entries_pkey PRIMARY KEY (pid, entry_id, valid_from);


--
-- Name: event_attendees event_attendees_pkey; Type: CONSTRAINT; Schema: collab_history; Owner: -
--

ALTER TABLE ONLY collab_history.event_attendees
    ADD CONSTRAINT event_attendees_pkey PRIMARY KEY (pid, event_id, starts_at, uid, valid_from);


--
-- Name: events events_pkey; Type: CONSTRAINT; Schema: collab_history; Owner: -
--

ALTER TABLE ONLY collab_history.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (pid, event_id, starts_at, valid_from);


--
-- Name: file_comments file_comments_pkey; Type: CONSTRAINT; Schema: collab_history; Owner: -
--

ALTER TABLE ONLY collab_history.file_comments
    ADD CONSTRAINT file_comments_pkey PRIMARY KEY (pid, fid, cid, valid_from);


--
-- Name: file_watchers file_watchers_pkey; Type: CONSTRAINT; Schema: collab_history; Owner: -
--

ALTER TABLE ONLY collab_history.file_watchers
    ADD CONSTRAINT file_watchers_pkey PRIMARY KEY (pid, fid, uid, valid_from);


--
-- Name: files files_pkey; Type: CONSTRAINT; Schema: collab_history; Owner: -
--

ALTER TABLE ONLY collab_history.files
    ADD CONSTRAINT files_pkey PRIMARY KEY (pid, fid, valid_from);


--
-- Name: page_watchers page_watchers_pkey; Type: CONSTRAINT; Schema: collab_history; Owner: -
--

ALTER TABLE ONLY collab_history.page_watchers
    ADD CONSTRAINT page_watchers_pkey PRIMARY KEY (pid, page_id, uid, valid_from);


--
-- Name: pages pages_pkey; Type: CONSTRAINT; Schema: collab_history; Owner: -
--

ALTER TABLE ONLY collab_history.pages
    ADD CONSTRAINT pages_pkey PRIMARY KEY (pid, page_id, valid_from);


--
-- Name: post_comments post_comments_pkey; Type: CONSTRAINT; Schema: collab_history; Owner: -
--

ALTER TABLE ONLY collab_history.post_comments
    ADD CONSTRAINT post_comments_pkey PRIMARY KEY (pid, post_id, cid, valid_from);


--
-- Name: post_watchers post_watchers_pkey; Type: CONSTRAINT; Schema: collab_history; Owner: -
--

ALTER TABLE ONLY collab_history.post_watchers
    ADD CONSTRAINT post_watchers_pkey PRIMARY KEY (pid, post_id, uid, valid_from);


--
-- Name: posts posts_pkey; Type: CONSTRAINT; Schema: collab_history; Owner: -
--

ALTER TABLE ONLY collab_history.posts
    ADD CONSTRAINT posts_pkey PRIMARY KEY (pid, post_id, valid_from);


--
-- Name: project_labels project_labels_pkey; Type: CONSTRAINT; Schema: collab_history; Owner: -
--

ALTER TABLE ONLY collab_history.project_labels
    ADD CONSTRAINT project_labels_pkey PRIMARY KEY (pid, name, valid_from);


--
-- Name: projects projects_pkey; Type: CONSTRAINT; Schema: collab_history; Owner: -
--

ALTER TABLE ONLY collab_history.projects
    ADD CONSTRAINT projects_pkey PRIMARY KEY (pid, valid_from);


--
-- Name: task_labels task_labels_pkey; Type: CONSTRAINT; Schema: collab_history; Owner: -
--

ALTER TABLE ONLY collab_history.task_labels
    ADD CONSTRAINT task_labels_pkey PRIMARY KEY (pid, tid, name, valid_from);


--
-- Name: task_members task_members_pkey; Type: CONSTRAINT; Schema: collab_history; Owner: -
--

ALTER TABLE ONLY collab_history.task_members
    ADD CONSTRAINT task_members_pkey PRIMARY KEY (pid, tid, uid, valid_from);


--
-- Name: task_todos task_todos_pkey; Type: CONSTRAINT; Schema: collab_history; Owner: -
--

ALTER TABLE ONLY collab_history.task_todos
    ADD CONSTRAINT task_todos_pkey PRIMARY KEY (pid, tid, todo_id, valid_from);


--
-- Name: task_watchers task_watchers_pkey; Type: CONSTRAINT; Schema: collab_history; Owner: -
--

ALTER TABLE ONLY collab_history.task_watchers
    ADD CONSTRAINT task_watchers_pkey PRIMARY KEY (pid, tid, uid, valid_from);


--
-- Name: tasks tasks_pkey; Type: CONSTRAINT; Schema: collab_history; Owner: -
--

ALTER TABLE ONLY collab_history.tasks
    ADD CONSTRAINT tasks_pkey PRIMARY KEY (pid, tid, valid_from);


--
-- Name: users users_pkey; Type: CONSTRAINT; Schema: collab_history; Owner: -
--

ALTER TABLE ONLY collab_history.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (uid, valid_from);


--
-- Name: webhooks webhooks_pkey; Type: CONSTRAINT; Schema: collab_history; Owner: -
--

ALTER TABLE ONLY collab_history.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (wid, valid_from);


--
-- Name: webhook_lists_pid; Type: INDEX; Schema: collab; Owner: -
--

CREATE INDEX webhook_lists_pid ON collab.webhook_lists USING btree (pid);


--
-- Name: webhooks_pid; Type: INDEX; Schema: collab; Owner: -
--

CREATE INDEX webhooks_pid ON collab.webhooks USING btree (pid);


--
-- PostgreSQL database dump complete
--


