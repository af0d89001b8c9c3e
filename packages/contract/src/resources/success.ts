import Type from 'typebox'
import { resource } from '../resource.ts'

/** The answer of a deletion. Documented as a boolean, while samples have its text form: both are valid. */
export const Success = resource('Success', [], {
  success: Type.Union([Type.Boolean(), Type.Literal('true'), Type.Literal('false')], {
    description: 'whether it was deleted',
  }),
})
