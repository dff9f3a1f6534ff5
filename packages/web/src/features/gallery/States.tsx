import type { StepUpRequirement } from '@tern/contract/security'
import { useState } from 'react'
import { copying } from '#messages/copying.ts'
import { gallery } from '#messages/site/gallery.ts'
import { Button } from '../../ui/forms/Button.tsx'
import { Dialog } from '../../ui/layout/Dialog.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { GlobeRoutes } from '../../ui/maps/GlobeRoutes.tsx'
import { Note } from '../../ui/feedback/Note.tsx'
import { StepUpDialog } from '../../app/step-up/StepUpDialog.tsx'
import { QrCode } from '../../ui/layout/QrCode.tsx'
import { Sheet } from '../../ui/layout/Sheet.tsx'
import { TextSkeleton } from '../../ui/feedback/Skeleton.tsx'
import { Toast, useToast } from '../../ui/feedback/Toast.tsx'
import { Flows } from './Figures.tsx'

export function NotesAndStates() {
  return (
    <div className="specimens">
      <Note>{gallery.information}</Note>
      <Note tone="warning">{gallery.final}</Note>
      <Note tone="error">{gallery.failure}</Note>
      <TextSkeleton />
      <Sheet>
        <EmptyState title={gallery.nothing}>
          <Button look="primary">{gallery.send}</Button>
        </EmptyState>
      </Sheet>
      <Sheet>
        <ErrorState title={gallery.didNotLoad} text={gallery.didNotLoadText} onRetry={() => undefined} />
      </Sheet>
    </div>
  )
}

const requirement: StepUpRequirement = {
  id: '01a1fe5d-15bb-71b7-a870-440dec63b5b4',
  action: 'send_money',
  subject: gallery.stepUpSubject,
  expires_at: '2099-01-01T00:00:00Z',
  passkey: true,
  password: true,
  code: 'totp',
  recovery_code: true,
}

export function Overlays() {
  const toast = useToast()
  const [open, setOpen] = useState<'dialog' | 'question' | 'step-up'>()
  const close = () => setOpen(undefined)
  return (
    <div className="specimens">
      <Toast text={copying.done} icon="check" />
      <div className="specimen-row">
        <Button onClick={() => toast(copying.done)}>{gallery.showToast}</Button>
        <Button onClick={() => setOpen('dialog')}>{gallery.openDialog}</Button>
        <Button onClick={() => setOpen('question')}>{gallery.openQuestion}</Button>
        <Button onClick={() => setOpen('step-up')}>{gallery.openConfirmation}</Button>
      </div>
      <QrCode text={gallery.qrText} label={gallery.qrLabel} />
      <StepUpDialog requirement={requirement} open={open === 'step-up'} onEnd={close} />
      <Dialog open={open === 'dialog'} onClose={close} title={gallery.sentTo} scaleBar>
        <Flows />
      </Dialog>
      <Dialog open={open === 'question'} onClose={close} title={gallery.logOut} size="small">
        <p className="muted">{gallery.logOutText}</p>
        <div className="specimen-row">
          <Button onClick={close}>{gallery.cancel}</Button>
          <Button look="primary" onClick={close}>
            {gallery.send}
          </Button>
        </div>
      </Dialog>
    </div>
  )
}

const { newYork, lyon, london, saoPaulo, mumbai, tokyo, sydney, singapore } = gallery.cities
const places = {
  newYork: { at: [-74, 40.7], label: newYork },
  lyon: { at: [4.8, 45.8], label: lyon },
  london: { at: [-0.1, 51.5], label: london },
  saoPaulo: { at: [-46.6, -23.5], label: saoPaulo },
  mumbai: { at: [72.9, 19.1], label: mumbai },
  tokyo: { at: [139.7, 35.7], label: tokyo },
  sydney: { at: [151.2, -33.9], label: sydney },
  singapore: { at: [103.8, 1.35], label: singapore },
} as const

const samples = [
  { home: places.newYork, people: [places.lyon, places.london, places.mumbai] },
  { home: places.newYork, people: [places.saoPaulo] },
  { home: places.lyon, people: [places.mumbai, places.singapore] },
  { home: places.sydney, people: [places.tokyo, places.singapore] },
  { home: places.saoPaulo, people: [] },
]

export function Globes() {
  return (
    <div className="specimens">
      {samples.map(({ home, people }) => (
        <div className="home-panel" key={home.label + people.length}>
          <div className="specimen-map">
            <GlobeRoutes home={home} people={people} />
          </div>
        </div>
      ))}
    </div>
  )
}
