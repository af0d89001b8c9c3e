import fc from 'fast-check'

// A mutant is killed by any counterexample: nobody reads the smallest one, which takes hundreds of further runs to find.
fc.configureGlobal({ endOnFailure: true })
