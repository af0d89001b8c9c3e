import type { TeamRecord, UserRecord } from '../store/state.ts'

/** The teams to which projects belong in turn. */
export const TEAM_IDS = ['5f1c2a7be4b0d93a7c1f0001', '5f1c2a7be4b0d93a7c1f0002'] as const

const NAMES = [
  { name: 'Product', url: 'product', desc: 'Everything that customers see' },
  { name: '市场与运营', url: 'marketing', desc: '' },
]

const TEAM = 2
const PUBLIC = 3

/** The teams, all created by the caller. */
export function makeTeams(created_by: UserRecord): TeamRecord[] {
  return TEAM_IDS.map((team_id, index) => ({
    team_id,
    ...NAMES[index % NAMES.length],
    name: NAMES[index]?.name ?? team_id,
    pic: `team-${index + 1}.png`,
    visibility: index === 0 ? TEAM : PUBLIC,
    created_at: `2019-02-0${index + 1}T08:00:00.000Z`,
    created_by,
  }))
}
