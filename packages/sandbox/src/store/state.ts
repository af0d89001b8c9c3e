import {
  BareTask,
  Comment,
  Event,
  File,
  Label,
  Page,
  Post,
  type ProjectDetail,
  type ProjectListItem,
  ProjectReference,
  Task,
  User,
  Webhook,
} from '@collab-etl/contract'
import Type, { type Static } from 'typebox'

export type TaskRecord = Static<typeof Task>
export type BareTaskRecord = Static<typeof BareTask>
export type PageRecord = Static<typeof Page>
export type PostRecord = Static<typeof Post>
export type CommentRecord = Static<typeof Comment>
export type FileRecord = Static<typeof File>
export type EventRecord = Static<typeof Event>
export type WebhookRecord = Static<typeof Webhook>
export type UserRecord = Static<typeof User>
export type LabelRecord = Static<typeof Label>
export type ProjectDetailRecord = Static<typeof ProjectDetail>
export type ProjectListItemRecord = Static<typeof ProjectListItem>

const Member = Type.Object({
  user: User,
  /** 1 = administrator, 2 = member, 3 = visitor. */
  role: Type.Union([Type.Literal(1), Type.Literal(2), Type.Literal(3)]),
  /** 31, 15, 7; or 0: listed, but may not operate. */
  permission: Type.Union([Type.Literal(31), Type.Literal(15), Type.Literal(7), Type.Literal(0)]),
})

const Entry = Type.Object({ entry_id: Type.String(), name: Type.String() })

/**
 * Everything that one project holds. Users and the project's reference are shared objects: changing one changes it in
 * every record that shows it.
 */
export const ProjectState = Type.Object({
  /** The project's pid, name, icon and colour, as its tasks and events show them. */
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
  /** Not archived, in the order in which they are listed. */
  tasks: Type.Array(Task),
  /** Archived last comes first. */
  archived_tasks: Type.Array(BareTask),
  task_comments: Type.Record(Type.String(), Type.Array(Comment)),
  pages: Type.Array(Page),
  posts: Type.Array(Type.Object({ post: Post, comments: Type.Array(Comment) })),
  files: Type.Array(Type.Object({ file: File, comments: Type.Array(Comment) })),
  events: Type.Array(Type.Object({ event: Event, comments: Type.Array(Comment) })),
  webhooks: Type.Array(Webhook),
  /** Seeded posts and files that no text, comment or folder leads to: a client cannot find them. */
  unlinked_posts: Type.Array(Type.String()),
  unlinked_files: Type.Array(Type.String()),
})

export type ProjectState = Static<typeof ProjectState>

/** The whole of a sandbox's data. */
export interface State {
  /** Goes into the ids of what is created later, so that they are new. */
  sequence: number
  /** The seed, as text. */
  seed: string
  /** The user to whom the token belongs. */
  caller: UserRecord
  users: UserRecord[]
  personal_webhooks: WebhookRecord[]
  projects: ProjectState[]
}

/** Read-only all the way down: what the store hands out is changed through `store.change` only. */
export type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: Frozen<T[Name]> }
    : T
