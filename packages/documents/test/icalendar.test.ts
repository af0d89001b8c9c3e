import { anyCharacter } from '@collab-etl/harness/any-character'
import fc from 'fast-check'
import ICAL from 'ical.js'
import { describe, expect, test } from 'vitest'
import type { EventView } from '../src/views/event.ts'
import { ICALENDAR, icalendarEvent } from '../src/views/icalendar.ts'

const EVENT: EventView = {
  id: 'v1',
  startsAt: '2024-05-01T09:00:00.000Z',
  endsAt: '2024-05-01T10:30:00.000Z',
  title: 'Talk',
  summary: null,
  location: null,
  email: null,
  description: null,
  recurrence: null,
  attendees: [],
}

/** What another library reads. */
function read(events: readonly EventView[]): ICAL.Event[] {
  const text = ICALENDAR.begin + events.map((event) => icalendarEvent(event, 'P1') ?? '').join('') + ICALENDAR.end
  for (const line of text.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
  const calendar = new ICAL.Component(ICAL.parse(text))
  expect(calendar.getFirstPropertyValue('version')).toBe('2.0')
  return calendar.getAllSubcomponents('vevent').map((component) => new ICAL.Event(component))
}

describe('events.ics', () => {
  test('has every field of an event, as another library reads it', () => {
    const [event] = read([
      {
        ...EVENT,
        summary: 'a, b; c\n\\d',
        location: 'Room "1": here',
        recurrence: 'every week',
        email: 'a@b.c',
        attendees: [
          { uid: 'u1', name: 'Ann' },
          { uid: 'u2', name: null },
        ],
      },
    ])
    expect(event?.summary).toBe('Talk')
    expect(event?.location).toBe('Room "1": here')
    expect(event?.startDate.toJSDate().toISOString()).toBe(EVENT.startsAt)
    expect(event?.endDate.toJSDate().toISOString()).toBe(EVENT.endsAt)
    expect(event?.description).toBe('a, b; c\n\\d\nRecurs: every week\nAttendees: Ann, u2\nE-mail: a@b.c')
    expect(event?.isRecurring()).toBe(false)
  })

  test('gives each start of an event a UID of its own, the same in each backup', () => {
    const starts = ['2024-05-01T09:00:00.000Z', '2024-05-08T09:00:00.000Z', '2024-05-08T09:00:00.001Z']
    const all = starts.map((startsAt) => ({ ...EVENT, startsAt }))
    const uids = read(all).map(({ uid }) => uid)
    expect(new Set(uids).size).toBe(starts.length)
    expect(read(all.toReversed()).map(({ uid }) => uid)).toEqual(uids.toReversed())
  })

  test.each([
    null,
    ...['2024-05-01T09:00:00.000Z', '2024-05-01T09:00:00.900Z', '2024-04-01T09:00:00.000Z', '+012024-05-01'],
  ])('leaves out an end that is not later than the start: %s', (endsAt) => {
    expect(icalendarEvent({ ...EVENT, endsAt }, 'P1')).not.toContain('DTEND')
  })

  test('cannot hold years of more than four digits', () => {
    expect(icalendarEvent({ ...EVENT, startsAt: '+012024-05-01T09:00:00.000Z' }, 'P1')).toBeNull()
    expect(icalendarEvent({ ...EVENT, startsAt: '-000044-03-15T09:00:00.000Z' }, 'P1')).toBeNull()
  })

  test('is valid with any texts, and gives them back without control characters', () => {
    const part = fc.constantFrom('\r\n', '\n', 'END:VEVENT', '\\n', '\\', ';', ',', '"', ':', '\0', '\u2028', '😀', '=')
    const text = fc.array(fc.oneof(part, fc.string({ unit: anyCharacter, maxLength: 20 })), {
      minLength: 1,
      maxLength: 9,
    })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is compared
    const held = (value: string) => value.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g, ' ').replace(/\r\n?/g, '\n')
    const texts = text.map((parts) => parts.join('').toWellFormed())
    fc.assert(
      fc.property(texts, texts, texts, (title, location, uid) => {
        const [event, next] = read([{ ...EVENT, id: uid, title, location, attendees: [{ uid, name: null }] }, EVENT])
        expect(event?.summary).toBe(held(title))
        // An empty place is none.
        expect(event?.location ?? '').toBe(held(location))
        expect(event?.description).toBe(held(`Attendees: ${uid}`))
        expect(next?.summary).toBe('Talk')
      }),
      { numRuns: 200 },
    )
  })
})
