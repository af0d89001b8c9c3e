import type {
  BareTaskRecord,
  CommentRecord,
  EventRecord,
  FileRecord,
  PageRecord,
  PostRecord,
  ProjectDetailRecord,
  ProjectListItemRecord,
  TaskRecord,
  WebhookRecord,
} from './state.ts'

/** All data of a project, each record as the service returns it. A complete copy must equal it. */
export interface ProjectTruth {
  /** As operation 15 lists it; `null` for a project that is not listed for the caller. */
  listed: ProjectListItemRecord | null
  detail: ProjectDetailRecord
  /** Task groups; the service shows them inside tasks only. */
  entries: { entry_id: string; name: string }[]
  tasks: TaskRecord[]
  archived_tasks: BareTaskRecord[]
  pages: PageRecord[]
  posts: { post: PostRecord; comments: CommentRecord[] }[]
  files: { file: FileRecord; comments: CommentRecord[] }[]
  events: EventRecord[]
  webhooks: WebhookRecord[]
  /** Ids of seeded posts and files that no record refers to: a client cannot discover them. */
  unlinked_posts: string[]
  unlinked_files: string[]
}
