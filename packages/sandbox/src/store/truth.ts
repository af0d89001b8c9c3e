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

/** All that a project holds, every record as the service would answer with it: what a faithful copy must equal. */
export interface ProjectTruth {
  /** As operation 15 lists it; `null` for a project that the caller does not see. */
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
  /** Ids of seeded posts and files that nothing links to: they exist, but a client cannot find them. */
  unlinked_posts: string[]
  unlinked_files: string[]
}
