import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Starts the slowest files first: started last, one would keep a single worker busy while the others are idle.
 * @param slow paths of slow tests, the slowest first
 */
export function slowFirst(...slow: RegExp[]): typeof BaseSequencer {
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const rankOf = ({ moduleId }: TestSpecification) => {
        const rank = slow.findIndex((path) => path.test(moduleId))
        return rank === -1 ? slow.length : rank
      }
      return (await super.sort(files)).toSorted((a, b) => rankOf(a) - rankOf(b))
    }
  }
}

/**
 * Starts the quickest files first: most mutants fail one of them, and the others need not run.
 * @param slow names of the slow test files, without `.test.ts`, the slowest last
 */
export function slowLast(...slow: string[]): typeof BaseSequencer {
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const rankOf = ({ moduleId }: TestSpecification) =>
        slow.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`))
      return files.toSorted((a, b) => rankOf(a) - rankOf(b))
    }
  }
}
