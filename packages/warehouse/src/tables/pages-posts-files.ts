import { Comment, CommentFile, File, Page, Post } from '@collab-etl/contract'
import { childrenOf, columnsOf, commented, given, project } from './columns.ts'
import { type Column, LIVE, type Table } from './table.ts'
import { tasks } from './tasks.ts'

const ofPage = columnsOf(Page)
const ofPost = columnsOf(Post)
const ofFile = columnsOf(File)
const ofComment = columnsOf(Comment)
const ofCommentFile = columnsOf(CommentFile)

/** The columns that pages and posts share. */
function documentColumns(document: typeof Page | typeof Post): readonly Column[] {
  const of = columnsOf(document)
  return [
    of.text('name'),
    of.text('summary'),
    of.text('content'),
    of.time('created_at'),
    of.time('updated_at'),
    of.user('owner_uid', 'user id of the creator', 'owner'),
  ]
}

/** docs/dev/service-api.md#page. */
export const pages: Table = {
  name: 'pages',
  comment: 'Documents',
  key: ['pid', 'page_id'],
  columns: [
    project,
    ofPage.key('page_id'),
    commented('parent document id; null at the top level', ofPage.id('parent_id')),
    ...documentColumns(Page),
  ],
  streams: ['pages'],
  deletedBy: 'absence',
  isRecord: true,
  hashed: true,
  indexes: [{ name: 'pages_updated_at', columns: ['updated_at'], where: LIVE }],
}

/** docs/dev/service-api.md#post. */
export const posts: Table = {
  name: 'posts',
  comment: 'Discussion posts that are known; the service does not list them',
  key: ['pid', 'post_id'],
  columns: [project, ofPost.key('post_id'), ...documentColumns(Post)],
  streams: ['posts'],
  deletedBy: 'gone',
  isRecord: true,
}

/** docs/dev/service-api.md#file. */
export const files: Table = {
  name: 'files',
  comment: 'Files and folders that are known; the service does not list them',
  key: ['pid', 'fid'],
  columns: [
    project,
    ofFile.key('fid'),
    ofFile.text('name'),
    ofFile.text('description', 'desc'),
    ofFile.size('size_bytes', 'size'),
    ofFile.text('path'),
    commented('parent folder id; null at the top', ofFile.id('folder_id')),
    ofFile.enumeration('type'),
    ofFile.time('created_at'),
    ofFile.time('updated_at'),
    ofFile.user('owner_uid', 'user id of the uploader', 'owner'),
  ],
  streams: ['files'],
  deletedBy: 'gone',
  isRecord: true,
}

/** docs/dev/service-api.md#comment: the columns that comments of posts, files and tasks share. */
const commentColumns = [
  ofComment.key('cid'),
  ofComment.text('message'),
  ofComment.text('raw_message'),
  ofComment.enumeration('type'),
  ofComment.enumeration('format'),
  ofComment.user('owner_uid', 'user id of the author', 'owner'),
  ofComment.time('created_at'),
] as const

const ofPages = childrenOf(pages)
const ofPosts = childrenOf(posts)
const ofFiles = childrenOf(files)
const ofTasks = childrenOf(tasks)

export const pageWatchers = ofPages.users('page_watchers', 'Members watching documents', 'watchers')
export const postWatchers = ofPosts.users('post_watchers', 'Members watching posts', 'watchers')
export const fileWatchers = ofFiles.users('file_watchers', 'Members watching files', 'watchers')

export const postComments = ofPosts.table('post_comments', 'Comments of posts', commentColumns, { isRecord: true })
export const fileComments = ofFiles.table('file_comments', 'Comments of files', commentColumns, { isRecord: true })
export const taskComments = ofTasks.table(
  'task_comments',
  'Comments of tasks, where the service offers them; with the notes of the service itself',
  commentColumns,
  {
    isRecord: true,
    streams: ['task_comments'],
    parent: {
      tables: ['tasks'],
      on: ['tid'],
      readBy: { stream: 'task_comments', staged: 'task_comments_read' },
    },
  },
)

export const commentFiles: Table = {
  name: 'comment_files',
  comment: 'Files attached to comments; a file that is only named by its id has no more than that',
  // ids of comments are unique within one post, file or task, not beyond it
  key: ['pid', 'parent_kind', 'parent_id', 'cid', 'fid'],
  columns: [
    project,
    given('parent_kind', 'what was commented on: post, file or task'),
    given('parent_id', 'post, file or task id, by parent_kind'),
    given('cid', 'comment id'),
    ofCommentFile.key('fid'),
    ofCommentFile.text('name'),
    ofCommentFile.text('description', 'desc'),
    ofCommentFile.size('size_bytes', 'size'),
    ofCommentFile.text('path'),
    commented('containing folder id; null at the top', ofCommentFile.id('folder_id')),
  ],
  streams: ['posts', 'files', 'task_comments'],
  deletedBy: 'parent',
  parent: {
    tables: ['post_comments', 'file_comments', 'task_comments'],
    on: ['parent_kind', 'parent_id', 'cid'],
    as: {
      post_comments: { columns: { parent_id: 'post_id', cid: 'cid' }, fixed: { parent_kind: 'post' } },
      file_comments: { columns: { parent_id: 'fid', cid: 'cid' }, fixed: { parent_kind: 'file' } },
      task_comments: { columns: { parent_id: 'tid', cid: 'cid' }, fixed: { parent_kind: 'task' } },
    },
  },
  shared: true,
}
