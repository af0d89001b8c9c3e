import { planWindow, type WindowObservation, type WindowPlan } from '../../src/walk/window-plan.ts'

type Answered = Extract<WindowObservation, { kind: 'answered' }>

/** An answer that is whole, unless `more` says otherwise. */
export function answered(count: number, more: Partial<Answered> = {}): WindowObservation {
  return { kind: 'answered', count, isDoubtful: false, isShort: false, hasNews: false, ...more }
}

/** The plan after an observation that does not end the walk. */
export function nextPlan(plan: WindowPlan, seen: WindowObservation): WindowPlan {
  const step = planWindow(plan, seen)
  if (step.kind !== 'window') throw new Error(step.kind)
  return step.plan
}
