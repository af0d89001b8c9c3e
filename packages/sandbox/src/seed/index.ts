import { Random } from '../store/random.ts'
import type { State, UserRecord } from '../store/state.ts'
import { Links } from './links.ts'
import { ids, type Outline, type Sizes, spread } from './outline.ts'
import { makePeople, makePersonalWebhooks } from './people.ts'
import { canRead, makeProject, type Part, partsOf } from './projects.ts'
import { makeTeams } from './teams.ts'
import { LANGUAGES } from './texts/index.ts'

/** Number of projects that are not listed for the caller. */
const OUTSIDE = 2

/** Sizes of a project that the caller may not read; not part of the totals. */
const UNREAD: Outline['sizes'] = { tasks: 5, archived: 3, pages: 2, posts: 1, events: 2 }

const LABELS = [
  { name: 'red', desc: 'urgent' },
  { name: 'orange', desc: '需要讨论' },
  { name: 'yellow', desc: '' },
  { name: 'green', desc: 'Freigegeben' },
  { name: 'blue', desc: 'customer' },
  { name: 'purple', desc: '' },
]

const COLOURS = ['#22d7bb', '#56abfb', '#f6c659', '#ff7575', '#966dd7', '#2cccda']

/**
 * Creates a sandbox's data. The same seed and sizes produce the same data, byte for byte. With `fractionalPositions`, a tenth of
 * the tasks have a position between two whole numbers.
 */
export function makeState(seed: string, sizes: Sizes, fractionalPositions = false): State {
  const random = new Random(seed)
  const people = makePeople(random.fork('people'))
  const [caller] = people
  const parts: Part[] = [...partsOf(sizes.projects, sizes.barred), ...Array<Part>(OUTSIDE).fill('outsider')]
  const shares = {
    tasks: spread(sizes.tasks, sizes.projects),
    archived: spread(sizes.archived, sizes.projects),
    pages: spread(sizes.pages, sizes.projects),
    posts: spread(sizes.posts, sizes.projects),
    events: spread(sizes.events, sizes.projects),
  }
  // Readable projects come first: their index selects their share.
  const outlines = parts.map((part, index) => {
    const share = (name: keyof typeof shares) => (canRead(part) ? (shares[name][index] ?? 0) : UNREAD[name])
    const own = {
      tasks: share('tasks'),
      archived: share('archived'),
      pages: share('pages'),
      posts: share('posts'),
      events: share('events'),
    }
    return { ...makeOutline(random.fork(`project ${index}`), index, own, people, caller), fractionalPositions }
  })
  const links = outlines.map(() => new Links())
  const readableOutlines = outlines.filter((_, index) => canRead(parts[index] ?? 'outsider'))
  linkPages(random.fork('page-links'), readableOutlines, links)
  return {
    seed,
    sequence: 0,
    caller,
    users: people,
    personal_webhooks: makePersonalWebhooks(random.fork('personal webhooks'), caller),
    projects: outlines.map((outline, index) =>
      makeProject(outline, links[index] ?? new Links(), parts[index] ?? 'outsider', index),
    ),
    teams: makeTeams(caller),
  }
}

function makeOutline(
  random: Random,
  index: number,
  sizes: Outline['sizes'],
  people: readonly UserRecord[],
  caller: UserRecord,
): Omit<Outline, 'fractionalPositions'> {
  const language = LANGUAGES[index % LANGUAGES.length] ?? LANGUAGES[0]
  const round = Math.floor(index / LANGUAGES.length)
  const name = language.projects[round % language.projects.length] ?? language.code
  const about = random.fork('about')
  const others = about.some(people.slice(1), about.int(4, 12))
  return {
    random,
    language,
    sizes,
    reference: {
      pid: about.id(),
      name: round < language.projects.length ? name : `${name} ${round + 1}`,
      pic: `icon-${(index % 12) + 1}.png`,
      bg: about.pick(COLOURS),
    },
    labels: about.some(LABELS, about.int(2, LABELS.length)),
    entries: language.entries.map((entry) => ({ entry_id: about.id(), name: entry })),
    people: [caller, ...others],
    caller,
    pageIds: ids(random.fork('page ids'), sizes.pages),
    postIds: ids(random.fork('post ids'), sizes.posts),
  }
}

/** Links between pages: most within a project, some to another, and one to a page that does not exist. */
function linkPages(random: Random, outlines: readonly Outline[], links: readonly Links[]): void {
  const all = outlines.flatMap(({ reference, pageIds, language }) =>
    pageIds.map((id) => ({ pid: reference.pid, kind: 'page' as const, id, title: random.pick(language.pages) })),
  )
  for (const [place, { reference, pageIds }] of outlines.entries()) {
    const { pid } = reference
    const own = all.filter((page) => page.pid === pid)
    for (const index of pageIds.keys()) {
      if (random.chance(0.4)) links[place]?.add('page', index, random.pick(random.chance(0.75) ? own : all))
    }
    const gone = { pid, id: random.id(), title: '404' }
    if (pageIds.length >= 8) {
      links[place]?.add('page', 3, { ...gone, kind: 'page' })
      links[place]?.add('page', 5, { ...gone, kind: 'post' })
    }
  }
}
