import type { TeamRecord, UserRecord } from '../store/state.ts'

const TEAM = 2
const PUBLIC = 3

const TEAMS = [
  {
    team_id: '5f1c2a7be4b0d93a7c1f0001',
    name: 'Product',
    url: 'product',
    desc: 'Everything that customers see',
    pic: 'team-1.png',
    visibility: TEAM,
    created_at: '2019-02-01T08:00:00.000Z',
  },
  {
    team_id: '5f1c2a7be4b0d93a7c1f0002',
    name: '市场与运营',
    url: 'marketing',
    desc: '',
    pic: 'team-2.png',
    visibility: PUBLIC,
    created_at: '2019-02-02T08:00:00.000Z',
  },
] as const

/** The team to which the project of this index belongs: to each in turn. */
export function teamIdOf(index: number): string {
  return TEAMS[index % 2 === 0 ? 0 : 1].team_id
}

/** The teams, all created by the caller. */
export function makeTeams(created_by: UserRecord): TeamRecord[] {
  return TEAMS.map((team) => ({ ...team, created_by }))
}
