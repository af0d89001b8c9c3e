import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Begins with the tests that are quickest: most mutants fall by one of them, and the others need not run.
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
