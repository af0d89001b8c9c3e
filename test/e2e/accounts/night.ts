import type { Fault } from '@collab-etl/sandbox'
import {
  addWebhook,
  anyPermission,
  everyone,
  type Person,
  permissionOf,
  pidsOf,
  setPermission,
  type World,
} from './world.ts'

/** What happens in a night besides changes of the data. */
export interface Night {
  /** For whoever reads a failure. */
  readonly log: string[]
  readonly args: string[]
  /** Accounts that may fail for some requests: what only they can read may be read, or stay. */
  readonly unsure: Set<string>
  /** Projects whose rights or answers change while they are read. */
  readonly disturbed: Set<string>
  /** Accounts that the run forgets. */
  readonly forgotten: Set<string>
  /** Whether the run accepts other users. */
  acceptsOthers: boolean
  /** Runs when the snapshot begins; what it returns runs at its end. */
  begin: () => () => void
  /** Kills the run at this request; another one resumes it. */
  killsAt: number | null
}

/** Changes the service, and decides what goes wrong tonight. */
export function nextNight(world: World, isFirst: boolean): Night {
  const { dice } = world
  const night: Night = {
    log: [],
    args: [],
    unsure: new Set(),
    disturbed: new Set(),
    forgotten: new Set(),
    acceptsOthers: false,
    begin: () => () => {},
    killsAt: null,
  }
  if (isFirst) return night
  if (world.unnamed.isUsed) {
    world.unnamed.isUsed = false
    for (const person of world.people) person.isUsed = true
    night.log.push('the accounts get names')
  }
  for (const pid of dice.some(pidsOf(world), 0.5)) changeData(world, pid)
  const changes = dice.int(0, 4)
  for (let index = 0; index < changes; index++) dice.one(CHANGES)(world, night)
  if (dice.chance(0.7)) dice.one(TROUBLES)(world, night)
  return night
}

type Change = (world: World, night: Night) => void

/** Small changes, so that no guard stops them. */
function changeData({ sandbox: { store }, dice }: World, pid: string): void {
  const mark = ` ${dice.int(0, 999)}`
  store.change(pid, (project) => {
    const [task, page, post, event] = [project.tasks, project.pages, project.posts, project.events].map((of) =>
      dice.pick<unknown>(of),
    )
    for (const record of [task, page, Object(post).post, Object(event).event, project.reference]) {
      if (record) Object.assign(record, { name: `${Object(record).name}${mark}` })
    }
    if (project.tasks.length > 3) project.tasks.pop()
    const archived = dice.pick(project.archived_tasks)
    if (archived) archived.desc += mark
  })
}

const CHANGES: readonly [Change, ...Change[]] = [
  function invite(world, { log }) {
    const [person, pid] = [world.dice.one(world.people), world.dice.pick(pidsOf(world)) ?? '']
    const permission = anyPermission(world.dice)
    setPermission(world, person.uid, pid, permission)
    log.push(`${person.name} gets ${permission} in ${pid}`)
  },
  function removeMember(world, { log }) {
    const [person, pid] = [world.dice.one(world.people), world.dice.pick(pidsOf(world)) ?? '']
    setPermission(world, person.uid, pid, null)
    log.push(`${person.name} is removed from ${pid}`)
  },
  function moveFromOneToAnother(world, { log }) {
    const pid = world.dice.pick(pidsOf(world)) ?? ''
    const [from, to] = world.dice.chance(0.5) ? world.people : [world.people[2], world.people[0]]
    setPermission(world, from.uid, pid, null)
    setPermission(world, to.uid, pid, 15)
    log.push(`${pid} moves from ${from.name} to ${to.name}`)
  },
  function makePublicOrPrivate(world, { log }) {
    const { store } = world.sandbox
    const pid = world.dice.pick(pidsOf(world)) ?? ''
    store.change(pid, (project) => (project.visibility = project.visibility === 3 ? 1 : 3))
    log.push(`${pid} is ${store.project(pid).visibility === 3 ? 'public' : 'private'}`)
  },
  function deleteProject(world, { log }) {
    const pids = pidsOf(world)
    const pid = world.dice.pick(pids)
    if (pid === undefined || pids.length < 3) return
    world.sandbox.store.removeProject(pid)
    log.push(`${pid} is deleted`)
  },
  function addPersonalWebhook(world, { log }) {
    const person = world.dice.one(world.people)
    addWebhook(world, person.uid)
    log.push(`${person.name} has another webhook`)
  },
  expireToken,
  renewTokens,
  renewTokens,
  function deleteAccount(world, night) {
    const person = world.dice.one(world.people)
    for (const pid of pidsOf(world)) setPermission(world, person.uid, pid, null)
    world.sandbox.accounts.revoke(person.token)
    person.isValid = false
    night.log.push(`the account of ${person.name} is deleted`)
  },
  removeFromFile,
  /** Only where the service says whose token it is: otherwise the old name stays in doubt. */
  function rename({ dice, people, hasProfile }, { log }) {
    if (!hasProfile) return
    const person = dice.one(people)
    const before = person.name
    person.name = before.endsWith('-2') ? before.slice(0, -2) : `${before}-2`
    log.push(`${before} is called ${person.name}`)
  },
  function putBackIntoFile(world, { log }) {
    for (const person of world.people) person.isUsed = true
    log.push('all are in the file')
  },
  forget,
  forget,
]

function expireToken({ sandbox, dice, people }: World, { log }: Night): void {
  const person = dice.one(people)
  sandbox.accounts.revoke(person.token)
  person.isValid = false
  log.push(`the token of ${person.name} expires`)
}

/** New tokens for the same users. */
function renewTokens({ sandbox, people }: World, { log }: Night): void {
  for (const person of people.filter(({ isValid }) => !isValid)) {
    Object.assign(person, sandbox.accounts.add(person.uid), { isValid: true })
    log.push(`${person.name} has a new token`)
  }
}

function removeFromFile({ dice, people }: World, { log }: Night): void {
  const person = dice.one(people)
  if (people.filter(({ isUsed }) => isUsed).length < 2) return
  person.isUsed = false
  log.push(`${person.name} is removed from the file`)
}

/** An account that the file no longer has is forgotten. */
function forget({ dice, ...world }: World, night: Night): void {
  const person = dice.pick(everyone(world).filter(({ isUsed }) => !isUsed))
  if (person === undefined || night.forgotten.size > 0) return
  night.forgotten.add(person.name)
  night.args.push('--forget-account', person.name)
  night.log.push(`--forget-account ${person.name}`)
}

const usable = ({ people }: World) => people.filter(({ isUsed, isValid }) => isUsed && isValid)

const TROUBLES: readonly [Change, ...Change[]] = [
  /** Each token is that of another user. */
  function swapTokens({ dice, people: [a, b, c] }, night) {
    const [x, y] = dice.one([
      [a, b],
      [b, c],
      [a, c],
    ])
    const [first, second] = [{ ...x }, { ...y }]
    swap(x, second)
    swap(y, first)
    night.log.push(`the tokens of ${x.name} and ${y.name} are swapped`)
    accept(dice, night, () => {
      swap(x, first)
      swap(y, second)
    })
  },
  /** A token of another user, who may be that of another account. */
  function replaceUser({ sandbox, dice, people }, night) {
    const person = dice.one(people)
    const before = { ...person }
    const uid = (dice.chance(0.4) ? dice.one(people).uid : dice.pick(sandbox.store.users)?.uid) ?? ''
    swap(person, { ...person, ...sandbox.accounts.add(uid), isValid: true })
    night.log.push(
      `${person.name} has a token of ${people.find((each) => each.uid === uid && each !== person)?.name ?? 'a stranger'}`,
    )
    accept(dice, night, () => swap(person, before))
  },
  /** The run dies, and is resumed. */
  killAndResume,
  killAndResume,
  /** A token is refused from some request on. */
  function expireWhileReading(world, night) {
    const person = world.dice.pick(usable(world))
    if (person === undefined) return
    night.unsure.add(person.name)
    const at = world.dice.int(1, 60)
    night.log.push(`the token of ${person.name} expires at request ${at}`)
    atRequest(world, night, at, () => {
      world.sandbox.accounts.revoke(person.token)
      person.isValid = false
    })
  },
  /** A member is removed while the projects are read. */
  removeWhileReading,
  removeWhileReading,
  /** One account is refused for one operation, or one project. */
  refuse,
  refuse,
  /** The service fails for one account, all night. */
  function failFor(world, night) {
    const person = world.dice.pick(usable(world))
    if (person === undefined) return
    night.unsure.add(person.name)
    const status = world.dice.one([502, 503, 429])
    night.log.push(`${status} for ${person.name}`)
    strike(world, night, { kind: 'http', status, uid: person.uid, times: 'always', retryAfter: 0 })
  },
]

function killAndResume({ dice }: World, night: Night): void {
  night.killsAt = dice.int(1, 120)
  night.log.push(`killed at request ${night.killsAt}, and resumed`)
}

/** The run accepts other users, or they are as before in the next night. */
function accept(dice: World['dice'], night: Night, undo: () => void): void {
  night.acceptsOthers = dice.chance(0.5)
  if (night.acceptsOthers) night.args.push('--accept-account')
  else night.begin = () => undo
  night.log.push(night.acceptsOthers ? '--accept-account' : 'for one night')
}

function swap(person: Person, { uid, token, isValid }: Person): void {
  Object.assign(person, { uid, token, isValid })
}

const OPERATIONS = [
  'tasks.list',
  'tasks.archived.list',
  'pages.list',
  'events.list',
  'projects.get',
  'projects.list',
] as const
const MORE = ['webhooks.list', 'posts.get', 'files.get', 'projects.members.list', 'posts.list', 'entries.list'] as const

function refuse(world: World, night: Night): void {
  const { dice } = world
  const person = dice.pick(usable(world))
  const pid = dice.pick(pidsOf(world).filter((each) => person && permissionOf(world, person.uid, each)))
  if (person === undefined || pid === undefined) return
  night.unsure.add(person.name)
  const answer = dice.one([
    { kind: 'http', status: 403 },
    { kind: 'http', status: 401 },
    { kind: 'error', errorCode: 400004, status: 400 },
    { kind: 'error', errorCode: 400004, status: 404 },
    { kind: 'error', errorCode: 100006, status: 400 },
    { kind: 'error', errorCode: 100005, status: 401 },
    { kind: 'error' },
  ] as const)
  const operation = dice.chance(0.2) ? undefined : dice.one([...OPERATIONS, ...MORE])
  const times = dice.one(['always', 'always', 1, 2] as const)
  const skip = dice.int(0, 2)
  const where = operation === 'projects.list' ? {} : { where: { pid } }
  night.disturbed.add(pid)
  const fault = { ...answer, ...where, uid: person.uid, times, skip, ...(operation && { operation }) }
  night.log.push(`for ${person.name}: ${JSON.stringify(fault)}`)
  strike(world, night, fault)
}

/** A fault all night. */
function strike({ sandbox }: World, night: Night, fault: Fault): void {
  night.begin = () => {
    sandbox.faults.add(fault)
    return () => sandbox.faults.clear()
  }
}

function atRequest({ sandbox }: World, night: Night, at: number, work: () => void): void {
  night.begin = () => {
    let count = 0
    return sandbox.beforeRequest(() => {
      if (++count === at) work()
    })
  }
}

function removeWhileReading(world: World, night: Night): void {
  const person = world.dice.pick(usable(world))
  const pid = world.dice.pick(pidsOf(world).filter((each) => person && permissionOf(world, person.uid, each)))
  if (person === undefined || pid === undefined) return
  night.unsure.add(person.name)
  night.disturbed.add(pid)
  const at = world.dice.int(4, 80)
  night.log.push(`${person.name} is removed from ${pid} at request ${at}`)
  atRequest(world, night, at, () => setPermission(world, person.uid, pid, null))
}
