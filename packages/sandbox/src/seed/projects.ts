import type { Random } from '../store/random.ts'
import type { ProjectState, UserRecord } from '../store/state.ts'
import { attached } from '../store/views.ts'
import { FILE, makeAttachments } from './attachments.ts'
import { makeFiles, makePages, makePosts } from './content.ts'
import { makeEvents } from './events.ts'
import { type Links, linkPosts } from './links.ts'
import type { Outline } from './outline.ts'
import { makeProjectWebhooks } from './people.ts'
import { makeArchivedTasks, makeEntries, makeTasks } from './tasks.ts'
import { teamIdOf } from './teams.ts'

/** The caller's role in a project. */
export type Part = 'administrator' | 'member' | 'visitor' | 'guest' | 'barred' | 'outsider'

const MEMBERSHIPS = {
  administrator: { role: 1, permission: 31 },
  member: { role: 2, permission: 15 },
  visitor: { role: 3, permission: 7 },
  barred: { role: 2, permission: 0 },
} as const

const PRIVATE = 1
const TEAM = 2
const PUBLIC = 3

/**
 * Roles in the listed projects, in listed order: administrator of the first, guest of a public one if there are enough. Projects that
 * the caller may not read come last.
 */
export function partsOf(readable: number, barred: number): Part[] {
  const parts = Array.from({ length: readable }, (_, index): Part => {
    if (readable >= 5 && index === 3) return 'guest'
    if (index === 2) return 'visitor'
    return index % 3 === 0 ? 'administrator' : 'member'
  })
  return [...parts, ...Array<Part>(barred).fill('barred')]
}

export function canRead(part: Part): boolean {
  return part !== 'barred' && part !== 'outsider'
}

/** Creates a project from its outline, its links and the caller's role. */
export function makeProject(outline: Outline, links: Links, part: Part, index: number): ProjectState {
  const { reference, caller, language, postIds, labels, people } = outline
  const random = outline.random.fork('project')
  const { unlinked } = linkPosts(outline, links)
  const discoverable = postIds.flatMap((id, place) => (unlinked.includes(id) ? [] : [place]))
  const attachments = makeAttachments(outline, links, discoverable)
  return {
    reference,
    desc: random.chance(0.8) ? random.pick(language.sentences) : '',
    archived: index === 4 ? 1 : 0,
    visibility: part === 'guest' ? PUBLIC : index % 2 === 0 ? PRIVATE : TEAM,
    team_id: teamIdOf(index),
    labels: [...labels],
    created_by: random.pick(people),
    is_star: random.chance(0.3) ? 1 : 0,
    pos: 1024 * (index + 1) + (index % 3) / 4,
    members: makeMembers(random, people, caller, part),
    entries: makeEntries(outline),
    tasks: makeTasks(outline, links),
    archived_tasks: makeArchivedTasks(outline),
    task_comments: {},
    attachable: attachments.records
      .filter(({ fid, type }) => type === FILE && !attachments.unlinked.includes(fid))
      .map(attached),
    pages: makePages(outline, links),
    posts: makePosts(outline, links, attachments),
    files: makeFiles(outline, attachments),
    events: makeEvents(outline, links),
    webhooks: makeProjectWebhooks(outline.random.fork('webhooks'), reference.pid, people),
    unlinked_posts: unlinked,
    unlinked_files: attachments.unlinked,
  }
}

function makeMembers(
  random: Random,
  people: readonly UserRecord[],
  caller: UserRecord,
  part: Part,
): ProjectState['members'] {
  const others = people
    .filter((user) => user !== caller)
    .map((user, index) => ({
      user,
      ...MEMBERSHIPS[index === 0 ? 'administrator' : random.pick(['member', 'visitor'] as const)],
    }))
  if (part === 'guest' || part === 'outsider') return others
  return [{ user: caller, ...MEMBERSHIPS[part] }, ...others]
}
