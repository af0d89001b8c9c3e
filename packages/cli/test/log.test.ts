import { expect, test } from 'vitest'
import { createLog } from '../src/log.ts'
import { Secret } from '../src/secret.ts'

function logged(format: 'pretty' | 'json', write: (log: ReturnType<typeof createLog>) => void): string {
  let text = ''
  const secrets = [new Secret('hush-hush')]
  write(createLog({ level: 'debug', format, colour: false, secrets, write: (line) => (text += line) }))
  return text
}

test('JSON lines have the level as text', () => {
  const line = logged('json', (log) => log.warn({ pid: 'P1' }, 'a warning'))
  expect(JSON.parse(line)).toEqual({ level: 'warn', time: expect.any(String), pid: 'P1', msg: 'a warning' })
})

test('for a person, a warning is one line of words, with the fields that it does not quote', () => {
  const text = logged('pretty', (log) => {
    log.warn({ pid: 'P1', reason: 'EACCES\n\u001b[2J', token: 'x' }, 'project P1 was hush-hush')
    log.info('no fields')
  })
  expect(text.replace(/\d\d:\d\d:\d\d/g, 'TIME')).toBe(
    'TIME warning: project P1 was [secret] (reason: EACCES, token: [redacted])\nTIME no fields\n',
  )
})

test('a stack trace follows on lines of its own', () => {
  const text = logged('pretty', (log) => log.debug({ stack: 'Error: x\n    at y' }, 'in full'))
  expect(text).toMatch(/^\d\d:\d\d:\d\d debug: in full\n {4}Error: x\n {4}at y\n$/)
})
