import '../../css/auth.css'
import { type ComponentProps, type FormEvent, type ReactNode, useEffect, useRef } from 'react'
import { identity } from '#messages/identity/identity.ts'
import { paths } from '../../app/paths.ts'
import { Brand } from '../../ui/icon/Brand.tsx'
import { Note } from '../../ui/feedback/Note.tsx'
import { TextField } from '../../ui/forms/TextField.tsx'
import { PolarMap } from '../../ui/maps/PolarMap.tsx'
import { type AttemptOutcome, useFocusInvalidField } from './use-attempt.ts'

const authForm =
  'relative z-1 col-start-2 place-self-center w-full max-w-100 py-6 [&_.brand]:mb-12 [&_.display-l]:mb-2 ' +
  '[&_.display-l]:outline-0 max-md:col-start-1 max-md:[place-self:start_center] max-md:max-w-110 ' +
  'max-md:min-h-150 max-md:pt-0 max-md:[&_.brand]:mb-8'
const authGlobe =
  'absolute top-1/2 end-1 h-[min(106vh,60vw)] [translate:0_-50%] max-md:static max-md:w-[170%] max-md:h-auto ' +
  'max-md:mb-[-90%] max-md:ms-[-35%] max-md:translate-none'
const dividerClass = 'flex items-center gap-4 before:flex-1 before:border-t after:flex-1 after:border-t'

interface AuthFrameProps {
  title: string
  lead?: ReactNode
  onSubmit?: (() => void) | undefined
  /** After each failed attempt the first invalid field takes the focus. */
  attempt?: AttemptOutcome | undefined
  /** The title takes the focus when it changes, on steps without a field to start with. */
  showsTitleFirst?: boolean | undefined
  children?: ReactNode
  /** Link to the alternative: log in or sign up. */
  footer?: ReactNode
}

/** Layout of login and signup: the map beside one short form. */
export function AuthFrame({ title, lead, onSubmit, attempt, showsTitleFirst, children, footer }: AuthFrameProps) {
  const form = useFocusInvalidField(attempt?.failures)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (showsTitleFirst) heading.current?.focus()
  }, [title, showsTitleFirst])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit?.()
  }
  return (
    <main className="auth dark">
      <form className={authForm} ref={form} noValidate onSubmit={submit}>
        <Brand href={paths.landing} />
        <h1 className="display-l" ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {lead && <div className="muted">{lead}</div>}
        <div className="mt-8 grid gap-5 empty:hidden">
          {attempt?.error && <Note tone="error">{attempt.error}</Note>}
          {children}
        </div>
        {footer && <div className="small mt-6 flex flex-wrap items-center">{footer}</div>}
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
        <PolarMap className={authGlobe} />
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

export function OrDivider() {
  return (
    <p className={`tiny muted ${dividerClass}`}>
      <span>{identity.or}</span>
    </p>
  )
}
