import {
  BareTask,
  Comment,
  CommentFile,
  type Entry as EntryResource,
  Event,
  File,
  Label,
  type Member as MemberResource,
  Page,
  Post,
  type ProjectDetail,
  type ProjectListItem,
  ProjectReference,
  Task,
  type Team,
  User,
  Webhook,
} from '@collab-etl/contract'
import { Type } from '@collab-etl/contract/schema'
import type { Static } from 'typebox'

/** A task as operation 1 lists it. */
export type TaskRecord = Static<typeof Task>
/** A task as operations 2 and 4 return it, without `pos` and `completed_date`. */
export type BareTaskRecord = Static<typeof BareTask>
/** A page with its content. */
export type PageRecord = Static<typeof Page>
/** A post with its content and watchers. */
export type PostRecord = Static<typeof Post>
/** A comment of a post or a file. */
export type CommentRecord = Static<typeof Comment>
/** A file or a folder. */
export type FileRecord = Static<typeof File>
/** A calendar event. */
export type EventRecord = Static<typeof Event>
/** A webhook of a project or of the caller. */
export type WebhookRecord = Static<typeof Webhook>
/** A user, as contained in other records. */
export type UserRecord = Static<typeof User>
export type LabelRecord = Static<typeof Label>
/** A project as operation 12 returns it. */
export type ProjectDetailRecord = Static<typeof ProjectDetail>
/** A project as operation 15 lists it. */
export type ProjectListItemRecord = Static<typeof ProjectListItem>

/** A member of a project or a team, as the lists of members show it. */
export type MemberRecord = Static<typeof MemberResource>
/** A task group, as the list of task groups shows it. */
export type EntryRecord = Static<typeof EntryResource>
export type TeamRecord = Static<typeof Team>

const Member = Type.Object({
  user: User,
  /** 1 = administrator, 2 = member, 3 = visitor. */
  role: Type.Union([Type.Literal(1), Type.Literal(2), Type.Literal(3)]),
  /** 31, 15, 7; or 0: listed, but without rights. */
  permission: Type.Union([Type.Literal(31), Type.Literal(15), Type.Literal(7), Type.Literal(0)]),
  /** When the user was added. Default: a time that depends on the user and the project only. */
  join_date: Type.Optional(Type.String()),
  /** Whether this member has starred the project. Default: what the project says. */
  is_star: Type.Optional(Type.Union([Type.Literal(0), Type.Literal(1)])),
  /** Where this member lists the project. Default: what the project says. */
  pos: Type.Optional(Type.Number()),
})

const Entry = Type.Object({
  entry_id: Type.String(),
  name: Type.String(),
  created_at: Type.Optional(Type.String()),
  updated_at: Type.Optional(Type.String()),
  watched: Type.Optional(Type.Boolean()),
  pos: Type.Optional(Type.Number()),
})

/**
 * All data of one project. Users and the project's reference are shared objects: a change shows in every record that contains
 * them.
 */
export const ProjectState = Type.Object({
  /** The project's pid, name, icon and colour, as contained in its tasks and events. */
  reference: ProjectReference,
  desc: Type.String(),
  archived: Type.Union([Type.Literal(0), Type.Literal(1)]),
  visibility: Type.Integer(),
  team_id: Type.String(),
  labels: Type.Array(Label),
  created_by: User,
  is_star: Type.Union([Type.Literal(0), Type.Literal(1)]),
  pos: Type.Number(),
  members: Type.Array(Member),
  entries: Type.Array(Entry),
  /** Tasks that are not archived, in listed order. */
  tasks: Type.Array(Task),
  /** The most recently archived first. */
  archived_tasks: Type.Array(BareTask),
  /** Comments that were added to a task; `taskComments` shows them after those of the sample. */
  task_comments: Type.Unsafe<Record<string, CommentRecord[]>>(
    Type.Object({}, { additionalProperties: Type.Array(Comment) }),
  ),
  /** Files that the tasks of the sample have attached, as they were then: later changes of the files change no comment. */
  attachable: Type.Optional(Type.Array(CommentFile)),
  pages: Type.Array(Page),
  posts: Type.Array(Type.Object({ post: Post, comments: Type.Array(Comment) })),
  files: Type.Array(Type.Object({ file: File, comments: Type.Array(Comment) })),
  events: Type.Array(Type.Object({ event: Event, comments: Type.Array(Comment) })),
  webhooks: Type.Array(Webhook),
  /** Seeded posts and files that no text, comment or folder refers to: a client cannot discover them. */
  unlinked_posts: Type.Array(Type.String()),
  unlinked_files: Type.Array(Type.String()),
})

export type ProjectState = Static<typeof ProjectState>

/** All data of a sandbox. */
export interface State {
  /** Number of ids created so far; makes new ids unique. */
  sequence: number
  /** The seed, as text. */
  seed: string
  /** The user to whom the token of the sandbox belongs. */
  caller: UserRecord
  users: UserRecord[]
  /** Those of the caller. */
  personal_webhooks: WebhookRecord[]
  /** Those of other users, by uid. */
  personal_webhooks_of?: Record<string, WebhookRecord[]>
  projects: ProjectState[]
  /** Their members are those of their projects. A project without a team has the `team_id` -1. */
  teams?: TeamRecord[]
}

/** Deeply read-only: data of the store is changed only through its methods. */
export type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: Frozen<T[Name]> }
    : T

/** All data of a project, each record as the service returns it. A complete copy must equal it. */
export interface ProjectTruth {
  /** As operation 15 lists it; `null` for a project that is not listed for the caller. */
  listed: ProjectListItemRecord | null
  detail: ProjectDetailRecord
  /** Task groups; the documented service shows them inside tasks only. */
  entries: EntryRecord[]
  members: MemberRecord[]
  /** The comments of every task, by its id: first the service's own note, which `comment_count` does not count. */
  task_comments: Record<string, CommentRecord[]>
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
