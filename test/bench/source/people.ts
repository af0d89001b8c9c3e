import { hexId } from './ids.ts'

/** Users of the service, the same in every project. */
export const PEOPLE = Array.from({ length: 60 }, (_, number) => ({
  uid: hexId(4_000_000_000 + number),
  name: `person.${number}`,
  display_name: `Person ${number}`,
  avatar: `${number}.png`,
  desc: number % 5 === 0 ? 'Mostly in the mornings' : '',
  status: 1,
  online: number % 4,
}))

/** Cyclic access to the users. */
export function person(number: number): (typeof PEOPLE)[number] {
  const found = PEOPLE[number % PEOPLE.length]
  if (found === undefined) throw new RangeError(`no person ${number}`)
  return found
}
