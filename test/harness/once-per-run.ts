interface Shared<T> {
  readonly made: Promise<T>
  users: number
}

// Several projects of one Vitest process set the same up, each through its own copies of these modules: they share it here.
const here = globalThis as typeof globalThis & { collabSharedByProjects?: Map<string, Shared<unknown>> }
here.collabSharedByProjects ??= new Map()
const shared = here.collabSharedByProjects

/** What all projects of a run use together. The first that takes it has it made, the last that leaves it has it removed. */
export function oncePerRun<T>(name: string, make: () => Promise<T>, remove: (made: T) => Promise<void>) {
  const found = () => shared.get(name) as Shared<T> | undefined // a name has one type of value
  return {
    async take(): Promise<T> {
      const taken = found() ?? { made: make(), users: 0 }
      shared.set(name, taken)
      taken.users += 1
      return await taken.made
    },
    async leave(): Promise<void> {
      const taken = found()
      if (!taken) return
      taken.users -= 1
      if (taken.users > 0) return
      shared.delete(name)
      await remove(await taken.made)
    },
  }
}
