import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Begins with what takes longest: begun last, it would run on one worker while the others have nothing left to do.
 * @param slow paths of tests that take minutes, the longest first
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
