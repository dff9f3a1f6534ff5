import '../../css/auth.css'
import { type ComponentProps, type FormEvent, type ReactNode, useEffect, useRef } from 'react'
import { identity } from '#messages/identity/identity.ts'
import { paths } from '../../app/paths.ts'
import { Brand } from '../../ui/icon/Brand.tsx'
import { Note } from '../../ui/feedback/Note.tsx'
import { TextField } from '../../ui/forms/TextField.tsx'
import { PolarMap } from '../../ui/maps/PolarMap.tsx'
import { type AttemptOutcome, useFocusOnFaulty } from './use-attempt.ts'

interface AuthFrameProps {
  title: string
  lead?: ReactNode
  onSubmit?: (() => void) | undefined
  /** After each failed attempt the first invalid field takes the focus. */
  attempt?: AttemptOutcome | undefined
  /** The title takes the focus when it changes, on steps without a field to start with. */
  leadsWithTitle?: boolean | undefined
  children?: ReactNode
  /** Link to the alternative: log in or sign up. */
  foot?: ReactNode
}

/** Layout of login and signup: the map beside one short form. */
export function AuthFrame({ title, lead, onSubmit, attempt, leadsWithTitle, children, foot }: AuthFrameProps) {
  const form = useFocusOnFaulty(attempt?.failures)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (leadsWithTitle) heading.current?.focus()
  }, [title, leadsWithTitle])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit?.()
  }
  return (
    <main className="auth dark">
      <form className="auth-form" ref={form} noValidate onSubmit={submit}>
        <Brand href={paths.landing} />
        <h1 className="display-l" ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {lead && <div className="muted">{lead}</div>}
        <div className="mt-8 grid gap-5 empty:hidden">
          {attempt?.error && <Note tone="error">{attempt.error}</Note>}
          {children}
        </div>
        {foot && <div className="small mt-6 flex flex-wrap items-center">{foot}</div>}
        <p className="tiny faint mt-8 flex flex-wrap gap-x-6 border-t pt-2">
          <a className="py-2 hover:underline" href={paths.terms}>
            {identity.terms}
          </a>
          <a className="py-2 hover:underline" href={paths.privacy}>
            {identity.privacy}
          </a>
        </p>
      </form>
      <div className="auth-map">
        <PolarMap className="auth-globe" />
      </div>
    </main>
  )
}

/** Email field of login and signup; `field` binds it to the form. */
export function EmailField(field: Partial<ComponentProps<typeof TextField>>) {
  return (
    <TextField
      label={identity.email}
      type="email"
      autoComplete="username"
      autoCapitalize="none"
      placeholder={identity.emailPlaceholder}
      {...field}
    />
  )
}

export function Or() {
  return (
    <p className="auth-or tiny muted">
      <span>{identity.or}</span>
    </p>
  )
}
