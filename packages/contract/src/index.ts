export { AUTH_ERROR_CODES, COMMON_ERRORS, type ErrorBody, type ErrorRow } from './errors.ts'
export type { Meaning } from './fields.ts'
export type {
  ArrayOperation,
  ObjectOperation,
  Operation,
  OperationParams,
  OperationRecord,
  Parameter,
  SuccessShape,
} from './operation.ts'
export { type KnownOperation, OPERATIONS, type OperationById, type OperationId } from './operations/index.ts'
export { isResource, type Received, type Resource } from './resource.ts'
export { Comment, CommentFile, NewComment } from './resources/comment.ts'
export { Event } from './resources/event.ts'
export { File } from './resources/file.ts'
export { Label } from './resources/label.ts'
export { NewPage, Page } from './resources/page.ts'
export { NewPost, Post } from './resources/post.ts'
export { ProjectDetail, ProjectListItem, ProjectReference } from './resources/project.ts'
export { Success } from './resources/success.ts'
export { Badges, BareTask, Task, TodayTask, Todo } from './resources/task.ts'
export { User } from './resources/user.ts'
export { Webhook } from './resources/webhook.ts'
