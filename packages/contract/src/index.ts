export { type Account, DEFAULT_ACCOUNT, userText } from './account.ts'
export { AUTH_ERROR_CODES, COMMON_ERRORS, type ErrorBody, type ErrorRow } from './errors.ts'
export type {
  ArrayOperation,
  ObjectOperation,
  Operation,
  OperationParams,
  OperationRecord,
  Parameter,
  SuccessShape,
} from './operation.ts'
export {
  ALL_OPERATIONS,
  type AnyOperation,
  type AnyOperationId,
  isObserved,
  type KnownOperation,
  type ObservedOperation,
  type Offered,
  OPERATIONS,
  type OperationById,
  type OperationId,
  type OptionalOperation,
} from './operations/index.ts'
export { OBSERVED_OPERATIONS, OBSERVED_READINGS, OFFERS, type Offer } from './operations/observed.ts'
export type { Meaning } from './resource.ts'
export { isResource, type Received, type Resource } from './resource.ts'
export { Comment, CommentFile, File, NewComment, NewPage, NewPost, Page, Post } from './resources/content.ts'
export {
  Entry,
  Member,
  Profile,
  Team,
  TeamProject,
} from './resources/observed.ts'
export {
  Label,
  ProjectDetail,
  ProjectListItem,
  ProjectReference,
  ROLES,
  roleName,
  Success,
  User,
  Webhook,
} from './resources/project.ts'
export { Badges, BareTask, Event, Task, TodayTask, Todo } from './resources/task.ts'
