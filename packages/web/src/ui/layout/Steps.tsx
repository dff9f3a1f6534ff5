import { forms } from '#messages/forms.ts'

/** Progress through a few steps; `current` counts from 0. */
export function Steps({ steps, current }: { steps: readonly string[]; current: number }) {
  return (
    <ol className="steps small muted" aria-label={forms.progress}>
      {steps.map((step, index) => (
        <li
          key={step}
          className={index < current ? 'step-past' : undefined}
          aria-current={index === current ? 'step' : undefined}
        >
          {step}
          {index < current && <span className="visually-hidden"> {forms.stepDone}</span>}
        </li>
      ))}
    </ol>
  )
}
