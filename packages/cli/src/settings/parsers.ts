import { resolve } from 'node:path'
import { Secret } from '../secret.ts'
import { duration } from './duration.ts'

/** A whole number within limits, both included. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= min && value <= max) return value
    throw new Error(`must be a whole number from ${min} to ${max}, not "${text}"`)
  }
}

/** A number within limits, both included, fractions allowed. */
export function decimalNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (/^\d+(\.\d+)?$/.test(text) && value >= min && value <= max) return value
    throw new Error(`must be a number from ${min} to ${max}, not "${text}"`)
  }
}

const [FIRST_STATUS, LAST_STATUS, FIRST_ERROR_CODE] = [400, 599, 1000]

/** Codes of a missing or invalid token: waiting does not help. */
const UNAUTHORISED: readonly number[] = [401, 100005, 100006]

/** HTTP statuses and error codes of the service, separated by commas. */
export function errorCodes(text: string): readonly number[] {
  return text.split(',').map((part) => {
    const code = Number(part.trim())
    const isCode = code >= FIRST_ERROR_CODE || (code >= FIRST_STATUS && code <= LAST_STATUS)
    if (!/^\s*\d{3,15}\s*$/.test(part) || !isCode) {
      throw new Error(`must hold HTTP statuses from 400 to 599 or error codes of the service, not "${part.trim()}"`)
    }
    if (UNAUTHORISED.includes(code))
      throw new Error(`must not hold ${code}, which means that the token is not accepted`)
    return code
  })
}

/**
 * A number of seconds within limits, or a length of time such as `90s` or `2m`, in seconds.
 * @throws Error whose message continues the setting's name
 */
export function seconds(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d+[a-z]/.test(text) ? duration(text) / 1000 : /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0
    if (value >= min && value <= max) return value
    throw new Error(`must be a number of seconds from ${min} to ${max}, or such as 90s or 2m, not "${text}"`)
  }
}

/** A length of time of an hour or more, in milliseconds. */
export function hours(text: string): number {
  const milliseconds = duration(text)
  if (milliseconds >= 3_600_000) return milliseconds
  throw new Error(`must be at least 1h, not "${text}"`)
}

/** One of a few words. */
export function oneOf<const T extends readonly string[]>(...words: T): (text: string) => T[number] {
  return (text) => {
    const word = words.find((known) => known === text)
    if (word !== undefined) return word
    throw new Error(`must be one of ${words.join(', ')}, not "${text}"`)
  }
}

/** A path, made absolute. */
export function path(text: string, directory: string): string {
  if (text.includes('\0')) throw new Error('must be a path: it holds U+0000, which none does')
  return resolve(directory, text)
}

/** The service's address without a slash at its end. Its text is never quoted: it may hold a password. */
export function serviceAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol) || !/^https?:\/\//i.test(text)) {
    throw new Error('must be an address such as https://collab.example.com')
  }
  if (url.username || url.password) {
    throw new Error('must not hold a user name or password; the token goes into COLLAB_TOKEN or --token-file')
  }
  if (url.search || url.hash) throw new Error('must not hold anything after the path')
  const address = `${url.origin}${url.pathname.replace(/\/+$/, '')}`
  if (/\/v1$/.test(address)) {
    throw new Error(`must be given without the /v1 at its end, which every operation adds: ${address.slice(0, -3)}`)
  }
  return address
}

/** A Postgres address, or `key=value …`; shown without its password, and never quoted in an error. */
export function databaseAddress(text: string): Secret {
  if (/^\s*[a-z_]+\s*=/.test(text)) return databaseWords(text)
  const [, scheme, authority = '', rest = ''] = /^(postgres(?:ql)?:\/\/)([^/?#]*)(.*)$/s.exec(text) ?? []
  if (scheme === undefined) throw new Error('must be an address such as postgres://user@host:5432/database')
  const at = authority.lastIndexOf('@')
  // Otherwise part of the password would be in a component that is shown.
  const [path = ''] = rest.split('?')
  if (rest.includes('#') || path.includes('@') || (at === -1 && rest.includes('@'))) {
    throw new Error('must have any #, / and ? in its password percent-encoded: %23, %2F, %3F')
  }
  const [, user = '', password] = /^([^:]*)(?::(.*))?$/s.exec(authority.slice(0, Math.max(at, 0))) ?? []
  const inQuery = /[?&]password=([^&]*)/.exec(rest)?.[1] ?? ''
  const shownUser = at === -1 ? '' : `${user}${password ? ':***' : ''}@`
  const shownRest = rest.replaceAll(/([?&](?:ssl)?password=)[^&]*/g, '$1***')
  const shown = scheme + shownUser + authority.slice(at + 1) + shownRest
  return new Secret(text, shown, [password ?? '', decoded(password ?? ''), inQuery, decoded(inQuery)])
}

function databaseWords(text: string): Secret {
  const word = /((?:ssl)?password\s*=\s*)('(?:[^'\\]|\\.)*'?|(?:[^\s\\]|\\.)*)/gs
  const passwords = [...text.matchAll(word)].map(([, , value = '']) => value.replaceAll(/^'|'$/g, ''))
  return new Secret(text, text.replaceAll(word, '$1***'), [
    ...passwords,
    ...passwords.map((value) => value.replaceAll(/\\(.)/gs, '$1')),
  ])
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A name that is not empty; the code that uses it checks the rest. */
export function name(text: string): string {
  if (text.trim() === '') throw new Error('must not be empty')
  return text
}
