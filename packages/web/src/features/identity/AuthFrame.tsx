import '../../css/auth.css'
import { type FormEvent, type ReactNode, useEffect, useRef } from 'react'
import { identity } from '#messages/identity/identity.ts'
import { pathIfPresent, paths } from '../../app/paths.ts'
import { Brand } from '../../ui/icon/Brand.tsx'
import { PolarMap } from '../../ui/maps/PolarMap.tsx'

interface AuthFrameProps {
  title: string
  lead: ReactNode
  onSubmit?: (() => void) | undefined
  /** Counts the attempts that failed: after each the first faulty field takes the focus. */
  failures?: number | undefined
  /** The title takes the focus when it changes: for what has no field to begin with. */
  leadsWithTitle?: boolean | undefined
  children: ReactNode
  /** Where to go instead: logging in or signing up. */
  foot?: ReactNode
}

/** The dark page around logging in and signing up: the map on one side, one short form on the other. */
export function AuthFrame({ title, lead, onSubmit, failures, leadsWithTitle, children, foot }: AuthFrameProps) {
  const form = useRef<HTMLFormElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (failures) form.current?.querySelector<HTMLInputElement>('[aria-invalid]')?.focus()
  }, [failures])
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
        <div className="auth-fields">{children}</div>
        {foot && <div className="auth-foot small">{foot}</div>}
        <p className="auth-legal tiny faint">
          <LegalPage page="terms">{identity.terms}</LegalPage>
          <LegalPage page="privacy">{identity.privacy}</LegalPage>
        </p>
      </form>
      <PolarMap className="auth-map" />
    </main>
  )
}

/** The line between two ways of doing the same. */
export function Or() {
  return (
    <p className="auth-or tiny muted">
      <span>{identity.or}</span>
    </p>
  )
}

function LegalPage({ page, children }: { page: string; children: string }) {
  const path = pathIfPresent(page)
  return path ? <a href={path}>{children}</a> : <span>{children}</span>
}
