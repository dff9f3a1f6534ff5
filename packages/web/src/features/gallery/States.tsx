import type { StepUpRequirement } from '@tern/contract/security'
import { useState } from 'react'
import { copying } from '#messages/copying.ts'
import { gallery } from '#messages/site/gallery.ts'
import { Button } from '../../ui/forms/Button.tsx'
import { Dialog } from '../../ui/layout/Dialog.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { countryPlaces, type MappedCountry } from '@tern/drawing/country-places'
import { countryName } from '../../ui/format/country-name.ts'
import { type GlobePoint, GlobeRoutes } from '../../ui/maps/GlobeRoutes.tsx'
import { Note } from '../../ui/feedback/Note.tsx'
import { StepUpDialog } from '../../app/step-up/StepUpDialog.tsx'
import { QrCode } from '../../ui/codes/QrCode.tsx'
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

const toPoint = (code: MappedCountry, label = countryName(code)): GlobePoint => ({
  ...{ code, label },
  at: countryPlaces[code].at,
})
const toPoints = (...codes: MappedCountry[]) => codes.map((code) => toPoint(code))
const { unitedStates, france, australia, brazil } = gallery.homes

const samples = [
  { home: toPoint('US', unitedStates), people: toPoints('FR', 'GB', 'IN') },
  { home: toPoint('US', unitedStates), people: toPoints('BR') },
  { home: toPoint('FR', france), people: toPoints('IN', 'SG') },
  { home: toPoint('AU', australia), people: toPoints('JP', 'SG') },
  { home: toPoint('BR', brazil), people: [] },
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
