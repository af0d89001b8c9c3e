import Type from 'typebox'
import { resource } from '../resource.ts'

/** The answer of a deletion. Documented as a boolean, while samples carry its text form: both are right (API page, 4, note 1). */
export const Success = resource('Success', [], {
  success: Type.Union([Type.Boolean(), Type.Literal('true'), Type.Literal('false')], {
    description: 'whether it was deleted',
  }),
})
