import type { RecordKinds, StreamName } from '@collab-etl/contract/streams'
import { type Commented, OPTIONAL, type ProjectState, type TeamState, type Telling } from './history-states.ts'
import { comment, entry, member, team, type user } from './records.ts'
import { batch, type StreamInput, type Streams } from './snapshot.ts'

type Person = (uid: string) => ReturnType<typeof user>

/** The streams of a project that the service need not offer. */
export function offeredStreams(
  pid: string,
  { members, groups, tasks }: ProjectState,
  { offered, carries, asked }: Telling,
  person: Person,
): Streams {
  const people = Object.entries(members).map(([uid, { role, hasEmail }]) =>
    member(uid, { ...person(uid), role, email: hasEmail ? `${uid}@example.org` : null }),
  )
  const read = Object.entries(tasks).filter(([tid]) => asked.includes(tid))
  const comments = read.flatMap(([tid, { comments: of }]) =>
    Object.entries(of).map(([cid, each]) => ({ tid, comment: commentOf(pid, cid, each, person('u1')) })),
  )
  const input: Streams = {
    members: { batches: [batch('member', people)] },
    entries: {
      batches: [
        batch(
          'entry',
          Object.entries(groups).map(([id, of]) => entry(id, of)),
        ),
      ],
    },
    task_comments: {
      batches: [
        batch('task_comment', comments),
        batch(
          'task_comments_read',
          read.map(([tid]) => ({ tid, comment_count: 1, updated_at: null })),
        ),
      ],
    },
  }
  const carried = { status: 'carried', carried: { items: 1, since: new Date(0) } } as const
  return Object.fromEntries(
    OPTIONAL.flatMap((stream): [StreamName, StreamInput | undefined][] => {
      if (offered.includes(stream)) return [[stream, input[stream]]]
      return carries ? [[stream, carried]] : []
    }),
  )
}

/** The teams of the token's user, and their members. */
export function teamsStream(teams: Readonly<Record<string, TeamState>>, person: Person): StreamInput {
  const people = Object.entries(teams).flatMap(([team_id, { members }]) =>
    members.map((uid) => ({ team_id, member: member(uid, person(uid)) })),
  )
  return {
    batches: [
      batch(
        'team',
        Object.entries(teams).map(([id, { name }]) => team(id, { name })),
      ),
      batch('team_member', people),
    ],
  }
}

export function commentOf(
  pid: string,
  cid: string,
  { message, files }: Commented['comments'][string],
  owner: ReturnType<Person>,
): RecordKinds['post_comment']['comment'] {
  const described = Object.entries(files).flatMap(([fid, name]) => (name === null ? [] : [commentFile(pid, fid, name)]))
  return comment(cid, { owner, message, fids: Object.keys(files), files: described })
}

function commentFile(pid: string, fid: string, name: string) {
  return { fid, pid, name, desc: '', size: '7', path: `/${fid}`, folder_id: '' }
}
