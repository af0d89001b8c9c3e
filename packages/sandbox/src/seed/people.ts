import type { Random } from '../store/random.ts'
import type { UserRecord, WebhookRecord } from '../store/state.ts'
import { iso, pastTime, since } from './outline.ts'
import { LANGUAGES } from './texts/index.ts'

const ROLES = ['', '', 'Backend', 'Design & UX', '财务', 'Qualitätssicherung', 'خدمة العملاء', '🌱 new here']
const NORMAL = 1
const INVITED = 2
const NEEDS_CONFIRMATION = 3

/** All users, in all languages; the first is the caller. Some are only invited or not confirmed. */
export function makePeople(random: Random): [UserRecord, ...UserRecord[]] {
  const caller: UserRecord = {
    uid: random.id(),
    name: 'Nora Lindqvist',
    display_name: 'nora',
    avatar: 'nora.png',
    desc: 'Operations',
    status: NORMAL,
    online: 1,
  }
  const others = LANGUAGES.flatMap(({ people }) => people).map(([name, nickname], index): UserRecord => {
    const status = index % 9 === 7 ? INVITED : index % 13 === 11 ? NEEDS_CONFIRMATION : NORMAL
    return {
      uid: random.id(),
      name,
      display_name: nickname,
      avatar: status === NORMAL ? `${nickname}.png` : 'default.png',
      desc: random.pick(ROLES),
      status,
      online: status === NORMAL ? random.int(0, 3) : 0,
    }
  })
  return [caller, ...others]
}

const ACTIONS = ['task.created', 'task.completed', 'comment.created', 'post.created', 'page.updated', 'file.uploaded']
const NAMES = ['CI', '机器人', 'Berichtswesen', 'Slack bridge', 'Zapier']

const PROJECT = 0
const PERSONAL = 1

export function makeProjectWebhooks(random: Random, pid: string, people: readonly UserRecord[]): WebhookRecord[] {
  return Array.from({ length: random.int(0, 3) }, () => {
    const every = random.chance(0.4)
    const actions = every ? [...ACTIONS] : random.some(ACTIONS, random.int(1, 3))
    return { ...makeWebhook(random, pid, random.pick(people)), actions, is_every: every ? 1 : 0, type: PROJECT }
  })
}

/** The caller's personal webhooks; they have no project, and their actions have no meaning. */
export function makePersonalWebhooks(random: Random, caller: UserRecord): WebhookRecord[] {
  return Array.from({ length: 2 }, () => ({
    ...makeWebhook(random, '', caller),
    actions: [],
    is_every: 1,
    type: PERSONAL,
  }))
}

function makeWebhook(random: Random, pid: string, user: UserRecord) {
  const created = pastTime(random)
  const wid = random.id()
  return {
    wid,
    pid,
    uid: user.uid,
    name: random.pick(NAMES),
    web_hook_url: `https://hooks.example.com/in/${wid.slice(0, 8)}`,
    created_at: iso(created),
    updated_at: iso(since(random, created)),
  }
}
