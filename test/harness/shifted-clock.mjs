// A clock that is wrong, as a machine's may be. Preloaded into a command with `node --import`; a command host sets it for each command.
const Real = Date

/** Makes the clock of this process so many milliseconds early, or late if negative. */
export function shiftClock(milliseconds) {
  globalThis.Date = milliseconds === 0 ? Real : shifted(milliseconds)
}

function shifted(milliseconds) {
  return class extends Real {
    constructor(...args) {
      if (args.length === 0) super(Real.now() + milliseconds)
      else super(...args)
    }

    static now() {
      return Real.now() + milliseconds
    }

    // times that Node made, such as those of files
    static [Symbol.hasInstance](value) {
      return value instanceof Real
    }
  }
}

shiftClock(Number(process.env['FAULT_CLOCK_SHIFT_MS'] ?? 0))
