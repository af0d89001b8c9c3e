import type { Random } from '../store/random.ts'
import type { UserRecord } from '../store/state.ts'
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
