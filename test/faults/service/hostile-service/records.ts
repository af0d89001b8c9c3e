/** Records as the service sends them (docs/service-api.md#values). */

export interface User {
  uid: string
  name: string
  display_name: string
  avatar: string
  desc: string
  status: number
  online: number
}

interface Label {
  name: string
  desc: string
}

interface ProjectReference {
  pid: string
  name: string
  pic: string
  bg: string
}

export interface Task {
  name: string
  pid: string
  tid: string
  entry_id: string
  entry_name: string
  created_at: string
  updated_at: string
  labels: Label[]
  todos: { todo_id: string; name: string; checked: number; pos: number }[]
  badges: {
    expire_date: string
    comment_count: number
    todo_checked_count: number
    todo_count: number
    file_count: number
  }
  watchers: User[]
  members: User[]
  completed: number
  expire_date: string
  desc: string
  project: ProjectReference
  /** Only in the list of tasks that are not archived. */
  pos?: number
  completed_date?: string
}

export interface CommentFile {
  fid: string
  name: string
  desc: string
  pid: string
  size: string
  path: string
  folder_id: string
}

export interface Comment {
  cid: string
  message: string
  raw_message: string
  type: number
  format: number
  fids: string[]
  owner: User
  files: CommentFile[]
  created_at: string
}

export interface File extends CommentFile {
  type: number
  created_at: string
  updated_at: string
  watchers: User[]
  owner: User
}

interface Written {
  pid: string
  name: string
  summary: string
  content: string
  created_at: string
  updated_at: string
  owner: User
  watchers: User[]
}

export interface Post extends Written {
  post_id: string
}

export interface Page extends Written {
  page_id: string
  parent_id: string
}

export interface Event {
  event_id: string
  name: string
  summary: string
  location?: string
  start: string
  end: string
  recurrence: number
  attendees: User[]
  project: ProjectReference
}

export interface Webhook {
  wid: string
  pid: string
  uid: string
  name: string
  web_hook_url: string
  created_at: string
  updated_at: string
  actions: string[]
  is_every: number
  type: number
}

export interface Project {
  listed: {
    pid: string
    name: string
    team_id: string
    desc: string
    archived: number
    pic: string
    bg: string
    visibility: number
    is_star: number
    pos: number
    member_count: number
    curr_role: number
    permission: number
  }
  detail: {
    pid: string
    name: string
    desc: string
    archived: number
    pic: string
    bg: string
    visibility: number
    team_id: string
    labels: Label[]
    created_by: User
  }
  tasks: Task[]
  archived: Task[]
  pages: Page[]
  posts: { post: Post; comments: Comment[] }[]
  files: { file: File; comments: Comment[] }[]
  events: Event[]
  webhooks: Webhook[]
}

export interface World {
  projects: Project[]
  personalWebhooks: Webhook[]
}
