import { type Browser, expect, type Page, test } from '@playwright/test'
import { createQrModules } from '../../packages/web/src/ui/codes/qr-modules.ts'
import { launchWithCamera, launchWithDeniedCamera, renderVideo } from '../fake-camera.ts'
import { expectNoOverflow } from '../page-texts.ts'
import { productUrl, settle, widths } from '../pages.ts'
import { expectSoundState } from '../page-checks.ts'
import { sendAndProve } from './receipt-proofs.ts'

const valid = (page: Page) => page.getByRole('heading', { level: 2, name: 'Valid', exact: true })

/** Draws the code of a text as receipts do. */
async function drawCode(browser: Browser, text: string): Promise<Buffer> {
  const { size, path } = await createQrModules(text, { level: 'L', border: 3 })
  const page = await browser.newPage({ viewport: { width: size * 6, height: size * 6 } })
  await page.setContent(
    `<body style="margin:0"><svg width="100%" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><rect width="100%" height="100%" fill="#fff"/><path d="${path}"/></svg>`,
  )
  const picture = await page.screenshot()
  await page.close()
  return picture
}

const choosePicture = (page: Page, buffer: Buffer) =>
  page.locator('input[type=file]').setInputFiles({ name: 'photo.png', mimeType: 'image/png', buffer })

test('a proof is read from a picture of its code, and by camera', async ({ page, browser }, testInfo) => {
  const { url } = await sendAndProve()
  const picture = await drawCode(browser, url)
  await page.goto('/verify')
  await settle(page)
  await choosePicture(page, await page.screenshot())
  await expect(page.getByText('No proof was found in this file.')).toBeVisible()
  // The receipt's other code leads to its price.
  await choosePicture(page, await drawCode(browser, `${productUrl()}/recompute/TRN-8F41-D2K7-06DP`))
  await expect(page.getByText('This code is no proof.')).toBeVisible()
  await choosePicture(page, picture)
  await expect(valid(page)).toBeVisible()
  await expect(page.getByText('This code is no proof.')).toBeHidden()

  const video = await renderVideo(page, { picture, width: 1280, height: 720, left: 320, top: 40, side: 640 })
  const phoneBrowser = await launchWithCamera(testInfo.outputPath('camera.y4m'), video)
  const phone = await phoneBrowser.newPage({ baseURL: productUrl() })
  await phone.goto('/verify')
  await phone.getByRole('button', { name: 'Scan with the camera' }).click()
  await expect(valid(phone)).toBeFocused()
  await expect(phone.getByLabel('What the camera sees')).toBeHidden()
  await phoneBrowser.close()
})

test('a camera that shows no code keeps looking, says so, and can be stopped', async ({ page, browser }, testInfo) => {
  const picture = await drawCode(browser, 'x')
  const video = await renderVideo(page, { picture, width: 640, height: 480, left: 640, top: 0, side: 10 })
  const phoneBrowser = await launchWithCamera(testInfo.outputPath('camera.y4m'), video)
  const phone = await phoneBrowser.newPage({ baseURL: productUrl() })
  await phone.goto('/verify')
  await phone.getByRole('button', { name: 'Scan with the camera' }).click()
  await expect(phone.getByText('No code found yet.')).toBeVisible()
  for (const width of widths) {
    await phone.setViewportSize({ width, height: 900 })
    await expectSoundState(phone)
    await expectNoOverflow(phone, `/verify while scanning, ${width} px`)
  }
  await phone.getByRole('button', { name: 'Stop the camera' }).click()
  await expect(phone.getByLabel('What the camera sees')).toBeHidden()
  await phoneBrowser.close()
})

test('without permission, and without a camera, the page says what else can be done', async ({ page }) => {
  await page.goto('/verify')
  await page.getByRole('button', { name: 'Scan with the camera' }).click()
  await expect(page.getByText('We found no camera here.')).toBeVisible()

  const browser = await launchWithDeniedCamera()
  const phone = await browser.newPage({ baseURL: productUrl() })
  await phone.goto('/verify')
  await phone.getByRole('button', { name: 'Scan with the camera' }).click()
  await expect(phone.getByText("Tern can't use the camera.")).toBeVisible()
  await browser.close()
})

test("a browser's own decoder is preferred", async ({ page }) => {
  const { url } = await sendAndProve()
  await page.addInitScript((code) => {
    const detector = {
      getSupportedFormats: () => Promise.resolve(['qr_code']),
      detect: () => Promise.resolve([{ rawValue: code }]),
    }
    Object.assign(globalThis, {
      BarcodeDetector: Object.assign(function BarcodeDetector() {
        return detector
      }, detector),
    })
  }, url)
  await page.goto('/verify')
  await settle(page)
  // This picture has no code that any other decoder could read.
  await choosePicture(page, await page.screenshot())
  await expect(valid(page)).toBeVisible()
})
