/**
 * One request of the tests of the service's public Node SDK (isayme/node-worktile, MIT), and what these tests expect of its answer.
 * `$name` is a value that an earlier answer gave. Two of its tests use the real host and are not here.
 */
export interface SdkCall {
  /** Method and path. */
  readonly call: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Readonly<Record<string, unknown>>
  /** Values that the answer has, at least; of a list, the element that `among` selects. */
  readonly shows?: Readonly<Record<string, unknown>>
  /** The element of a list that has this value in this field. */
  readonly among?: readonly [field: string, value: string]
  /** Fields that the answer, or the first element of a list, has. */
  readonly has?: readonly string[]
  readonly length?: number | 'some' | 'several' | 'any'
  /** Values to remember, by the field of the answer or of the first element of a list. */
  readonly keep?: Readonly<Record<string, string>>
}

const pid = { pid: '$pid' }
const success = { success: true }
const firstProject: SdkCall = { call: 'GET /v1/projects', length: 'some', has: ['pid'], keep: { pid: 'pid' } }
const profile: SdkCall = {
  call: 'GET /v1/user/profile',
  has: ['uid', 'name', 'display_name', 'email'],
  keep: { uid: 'uid' },
}

const put = (
  call: string,
  body?: Readonly<Record<string, unknown>>,
  shows: Readonly<Record<string, unknown>> = success,
) => ({ call, query: pid, ...(body && { body }), shows }) satisfies SdkCall
const ask = (call: string, rest: Omit<SdkCall, 'call' | 'query'>): SdkCall => ({ call, query: pid, ...rest })

const TASK = '/v1/tasks/$tid'
const ITEM = `${TASK}/todos/$todo_id`
const POST = '/v1/posts/$post_id'
const ENTRY = '/v1/entries/$entry_id'
const oneTask = (shows: Readonly<Record<string, unknown>>) => ask(`GET ${TASK}`, { shows })
const entries = (shows: Readonly<Record<string, unknown>>) =>
  ask('GET /v1/entries', { among: ['entry_id', '$entry_id'], shows })
const caller = [{ uid: '$uid' }]

/** The calls by the file of the tests, each in order. */
export const SDK_TESTS: Readonly<Record<string, readonly SdkCall[]>> = {
  user: [profile],
  team: [
    { call: 'GET /v1/teams', length: 'some', has: ['team_id'], keep: { team_id: 'team_id' } },
    { call: 'GET /v1/teams/$team_id', has: ['team_id'] },
    { call: 'GET /v1/teams/$team_id/members', length: 'some', has: ['uid'] },
    { call: 'GET /v1/teams/$team_id/projects', length: 'some', has: ['pid'] },
  ],
  project: [
    firstProject,
    { call: 'GET /v1/projects/$pid', has: ['pid'] },
    { call: 'GET /v1/projects/$pid/members', length: 'some', has: ['uid'] },
    {
      call: 'POST /v1/projects/$pid/members',
      body: { uid: '12c55ed2d8994db5946b999c35c2df20', role: 2 },
      has: ['uid', 'role'],
      shows: { role: 2 },
    },
    { call: 'DELETE /v1/projects/$pid/members/12c55ed2d8994db5946b999c35c2df20', shows: success },
  ],
  entry: [
    firstProject,
    ask('GET /v1/entries', { length: 'some', has: ['entry_id'] }),
    ask('POST /v1/entry', {
      body: { name: 'testEntry' },
      shows: { name: 'testEntry' },
      keep: { entry_id: 'entry_id' },
    }),
    put(`PUT ${ENTRY}`, { name: 'newEntryName' }),
    entries({ name: 'newEntryName' }),
    put(`POST ${ENTRY}/watcher`),
    entries({ watched: true }),
    put(`DELETE ${ENTRY}/watcher`),
    entries({ watched: false }),
    put(`DELETE ${ENTRY}`),
  ],
  post: [
    firstProject,
    ask('POST /v1/post', {
      body: { name: 'a post', content: 'its content' },
      shows: { name: 'a post', content: 'its content' },
      keep: { post_id: 'post_id' },
    }),
    ask(`GET ${POST}`, { shows: { name: 'a post', content: 'its content' } }),
    ask('GET /v1/posts', { among: ['post_id', '$post_id'], shows: { name: 'a post', content: 'its content' } }),
    put(`PUT ${POST}`, { name: 'another name' }),
    ask(`GET ${POST}`, { shows: { name: 'another name', content: '' } }),
    profile,
    put(`POST ${POST}/watcher`, { uids: ['$uid'] }),
    ask(`GET ${POST}`, { shows: { watchers: caller } }),
    put(`DELETE ${POST}/watchers/$uid`),
    ask(`GET ${POST}`, { shows: { watchers: [] } }),
    ask(`GET ${POST}/comments/`, { length: 0 }),
    ask(`POST ${POST}/comment`, { body: { message: 'hello' }, shows: { message: 'hello' }, keep: { cid: 'cid' } }),
    ask(`GET ${POST}/comments/`, { length: 1 }),
    put(`DELETE ${POST}/comments/$cid`),
    ask(`GET ${POST}/comments/`, { length: 0 }),
    put(`DELETE ${POST}`),
  ],
  task: [
    firstProject,
    ask('POST /v1/entry', { body: { name: 'a group' }, keep: { entry_id: 'entry_id' } }),
    ask('POST /v1/task', {
      body: { entry_id: '$entry_id', name: 'a task', desc: 'its description' },
      shows: { pid: '$pid', entry_id: '$entry_id', name: 'a task', desc: 'its description' },
      keep: { tid: 'tid', created_at: 'created_at' },
    }),
    oneTask({ created_at: '$created_at', name: 'a task', desc: 'its description' }),
    put(`PUT ${TASK}`, { name: 'new name' }),
    oneTask({ name: 'new name' }),
    put(`PUT ${TASK}`, { name: 'a task', desc: 'its description' }),
    oneTask({ name: 'a task', desc: 'its description' }),
    ask('GET /v1/entries', { length: 'several', keep: { to_entry_id: 'entry_id' } }),
    put(`PUT ${TASK}/move`, { to_entry_id: '$to_entry_id', to_pid: '$pid' }),
    oneTask({ entry_id: '$to_entry_id' }),
    put(`PUT ${TASK}/move`, { to_entry_id: '$to_entry_id', to_pid: '$pid' }),
    ask('GET /v1/tasks', {
      among: ['tid', '$tid'],
      shows: { created_at: '$created_at', name: 'a task', desc: 'its description' },
    }),
    profile,
    put(`POST ${TASK}/member`, { uid: '$uid' }),
    oneTask({ members: caller }),
    put(`DELETE ${TASK}/members/$uid`),
    oneTask({ members: [] }),
    oneTask({ watchers: caller }),
    put(`DELETE ${TASK}/watchers/$uid`),
    oneTask({ watchers: [] }),
    put(`POST ${TASK}/watcher`, { uids: ['$uid'] }),
    oneTask({ watchers: caller }),
    put(`POST ${TASK}/member`, { uid: '$uid' }),
    { call: 'GET /v1/tasks/today', length: 0 },
    put(`PUT ${TASK}/expire`, { expire: '$endOfToday' }),
    { call: 'GET /v1/tasks/today', length: 1, among: ['tid', '$tid'] },
    ask(`GET ${TASK}/comments/`, { length: 1 }),
    ask(`POST ${TASK}/comment`, { body: { message: 'hello' }, shows: { message: 'hello' }, keep: { cid: 'cid' } }),
    ask(`GET ${TASK}/comments/`, { length: 2 }),
    put(`DELETE ${TASK}/comments/$cid`),
    ask(`GET ${TASK}/comments/`, { length: 1 }),
    put(`PUT ${TASK}/labels`, { label: 'red' }),
    oneTask({ labels: [{ name: 'red' }] }),
    { call: `DELETE ${TASK}/labels`, query: { ...pid, label: 'red' }, shows: success },
    oneTask({ labels: [] }),
    put(`PUT ${TASK}/complete`),
    oneTask({ completed: 1 }),
    put(`PUT ${TASK}/uncomplete`),
    oneTask({ completed: 0 }),
    ask(`POST ${TASK}/todo`, { body: { name: 'an item' }, shows: { name: 'an item' }, keep: { todo_id: 'todo_id' } }),
    put(`PUT ${ITEM}`, { name: 'another item' }, { name: 'another item' }),
    put(`PUT ${ITEM}/checked`),
    oneTask({ todos: [{ checked: 1 }] }),
    put(`PUT ${ITEM}/unchecked`),
    oneTask({ todos: [{ checked: 0 }] }),
    put(`DELETE ${ITEM}`),
    oneTask({ todos: [] }),
    put(`PUT ${TASK}/archive`),
    oneTask({ archived: 1 }),
    ask('GET /v1/tasks/archived', { length: 'any' }),
    put(`PUT ${TASK}/unarchive`, { entry_id: '$entry_id' }),
    oneTask({ archived: 0 }),
    put(`PUT ${TASK}/complete`),
    put(`PUT ${TASK}/archive`),
    oneTask({ archived: 1, completed: 1 }),
    put(`DELETE ${TASK}`),
    put(`DELETE ${ENTRY}`),
  ],
}
