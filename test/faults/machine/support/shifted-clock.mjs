// Preloaded into a command with `node --import`: its clock is so many milliseconds off, as a machine's may be.
const shift = Number(process.env['FAULT_CLOCK_SHIFT_MS'] ?? 0)
const Real = Date

globalThis.Date = class extends Real {
  constructor(...args) {
    if (args.length === 0) super(Real.now() + shift)
    else super(...args)
  }

  static now() {
    return Real.now() + shift
  }
}
