import fc from 'fast-check'

// A mutant is killed by any counterexample: the smallest one is not needed, and takes hundreds of further runs to find.
fc.configureGlobal({ endOnFailure: true })
