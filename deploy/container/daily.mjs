#!/usr/bin/env node
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'

// Runs a command once a day, in a container that has no scheduler.
// usage: collab-daily HH:MM COMMAND [ARGUMENT...]     HH:MM by the clock of the container (TZ)
// The command also runs when the container starts, if no night began since the last HH:MM: at the first start, or after the machine was off.

const [time = '', command, ...args] = process.argv.slice(2)
const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time) ?? []
if (hour === undefined || command === undefined) {
  say('usage: collab-daily HH:MM COMMAND [ARGUMENT...], for example collab-daily 04:30 collab-nightly')
  process.exit(2)
}

/** Exit code for the signal that asked this process to end; `null`: none did. */
let stopped = null
let child = null
let wake = () => {}
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
]) {
  process.on(signal, () => {
    stopped = code
    child?.kill(signal)
    wake()
  })
}

let isDue = (await lastBegin()) < timeOfDay(new Date(), -1).getTime()
while (stopped === null) {
  if (!isDue) await waitForTime()
  isDue = false
  if (stopped === null) say(`${command} ended with exit code ${await run()}`)
}
process.exit(stopped)

/** When the last night on record began, in milliseconds; 0: there was none. Ends the process if the settings are wrong. */
async function lastBegin() {
  return await new Promise((resolve) => {
    execFile('collab-nightly', ['status', '--json'], (error, stdout, stderr) => {
      // 6: there was no night yet
      if (error && error.code !== 6) {
        process.stderr.write(stderr || `collab-daily: collab-nightly status: ${error.message}\n`)
        process.exit(typeof error.code === 'number' ? error.code : 1)
      }
      resolve(Date.parse(JSON.parse(stdout).last_run?.started_at ?? '1970-01-01'))
    })
  })
}

/**
 * The time of day next after `now`, or the last one before it: by local time, so that it is the same hour in summer and winter. On a day
 * without that hour it is an hour later.
 */
function timeOfDay(now, direction) {
  const on = (days) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, Number(hour), Number(minute))
  const today = on(0)
  return (direction > 0 ? today > now : today <= now) ? today : on(direction)
}

/** Waits in steps, as the clock may be set, and a timer does not count while a machine sleeps. A signal ends the wait. */
async function waitForTime() {
  let at = null
  while (stopped === null) {
    const now = new Date()
    if (at !== null && now >= at) return
    const next = timeOfDay(now, 1)
    // also if the clock was set back: otherwise the wait would be as much longer
    if (at === null || next < at) {
      at = next
      say(`next run at ${at.toISOString()}`)
    }
    await new Promise((resolve) => {
      wake = resolve
      setTimeout(resolve, Math.min(at - now, 60_000))
    })
  }
}

/** Runs the command to its end. Its exit code; ends this process if it cannot be started. */
async function run() {
  child = spawn(command, args, { stdio: 'inherit' })
  try {
    const [code, signal] = await once(child, 'close')
    return code ?? 128 + constants.signals[signal]
  } catch (error) {
    say(`${command} cannot be started: ${error.message}`)
    process.exit(127)
  } finally {
    child = null
  }
}

function say(text) {
  process.stderr.write(`collab-daily: ${text}\n`)
}
