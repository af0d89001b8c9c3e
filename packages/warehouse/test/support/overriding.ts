import type { Driver, Transaction } from '../../src/driver/driver.ts'

/** The same object with some of its methods replaced. */
export function overriding<T extends object>(target: T, own: Partial<T>): T {
  return new Proxy(target, {
    get(_, name) {
      const value: unknown = Reflect.get(name in own ? own : target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** The same database, of whose transactions each is carried out as `carryOut` does it. */
export function overridingTransactions(
  driver: Driver,
  carryOut: <T>(connection: Transaction, work: (connection: Transaction) => Promise<T>) => Promise<T>,
): Driver {
  return overriding(driver, {
    transaction: (work, options) => driver.transaction((connection) => carryOut(connection, work), options),
  })
}
