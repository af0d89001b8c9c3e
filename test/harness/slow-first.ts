import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Folders of tests that take minutes, as they start programs by the dozen: the longest first. */
const SLOW = [/\/test\/e2e\/kill/, /\/test\/e2e\//, /\/apps\/extractor\//, /\/test\/docs\//, /\/apps\//]

/** Begins with what takes longest: begun last, it would run on one worker while the others have nothing left to do. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b))
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = SLOW.findIndex((folder) => folder.test(moduleId))
  return rank === -1 ? SLOW.length : rank
}
