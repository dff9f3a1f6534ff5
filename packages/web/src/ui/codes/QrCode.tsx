import { useEffect, useState } from 'react'
import { type QrModules, createQrModules } from './qr-modules.ts'

interface QrCodeProps {
  text: string
  /** Purpose of the code. */
  label: string
  /** Error correction: L for long texts. */
  level?: 'L' | 'M'
}

/** QR code of a text, black on white in both themes, as cameras expect. */
export function QrCode({ text, label, level = 'M' }: QrCodeProps) {
  const [modules, setModules] = useState<QrModules>()
  useEffect(() => {
    let isCurrent = true
    const drawModules = async () => {
      const newModules = await createQrModules(text, { level, border: 3 })
      if (isCurrent) setModules(newModules)
    }
    drawModules().catch(reportError)
    return () => void (isCurrent = false)
  }, [text, level])
  const size = modules?.size ?? 1
  return (
    <svg
      width="208"
      height="208"
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      role="img"
      aria-label={label}
    >
      <rect width={size} height={size} fill="#fff" />
      {modules && <path d={modules.path} fill="#000" />}
    </svg>
  )
}
