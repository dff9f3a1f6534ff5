import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import { chromium, expect, type Page, test } from '@playwright/test'
import { createRequest } from '../../packages/contract/src/requests/requests.ts'
import { findBrowser } from '../../tools/browser.ts'
import { signInThroughApi, settle } from '../pages.ts'
import { enrollSenderAndRecipient } from '../send-form.ts'
import { expectAccessible } from '../page-checks.ts'

/** Downloads the picture of a request's QR code, as its requester does. */
async function downloadCodePicture(page: Page): Promise<Buffer> {
  await page.goto('/receive')
  await page.getByRole('button', { name: /Actions/ }).click()
  await page.getByRole('menuitem', { name: 'Show QR code' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download QR' }).click(),
  ])
  return fs.readFileSync(await download.path())
}

/** Renders a video of 640 by 480 pixels that shows a picture, for the fake camera. */
async function renderVideo(page: Page, picture: Buffer): Promise<Buffer> {
  await page.goto('about:blank')
  await page.setContent(`<img src="data:image/png;base64,${picture.toString('base64')}">`)
  const lumaBase64 = await page.evaluate<string>(`(async () => {
    await document.images[0].decode()
    const canvas = Object.assign(document.createElement('canvas'), { width: 640, height: 480 })
    const context = canvas.getContext('2d')
    context.fillStyle = '#999'
    context.fillRect(0, 0, 640, 480)
    const [{ naturalWidth, naturalHeight }] = document.images
    context.drawImage(document.images[0], 150, 20, (440 * naturalWidth) / naturalHeight, 440)
    const { data } = context.getImageData(0, 0, 640, 480)
    let luma = ''
    for (let at = 0; at < data.length; at += 4) luma += String.fromCharCode(data[at])
    return btoa(luma)
  })()`)
  const frame = Buffer.concat([
    Buffer.from('FRAME\n'),
    Buffer.from(lumaBase64, 'base64'),
    Buffer.alloc((640 * 480) / 2, 128),
  ])
  return Buffer.concat([Buffer.from('YUV4MPEG2 W640 H480 F10:1 Ip A1:1 C420\n'), frame, frame])
}

test('a code is scanned by the camera or from a picture, and opens its request', async ({ page }, testInfo) => {
  const [, requester] = await enrollSenderAndRecipient(0)
  const body = { amount: '18.60', currency: 'EUR', description: 'Harbour tour' } as const
  const { url } = await requester.call(createRequest, { body, idempotencyKey: randomUUID() })
  await signInThroughApi(page, requester)
  const picture = await downloadCodePicture(page)
  await page.getByRole('link', { name: 'Scan a code to pay' }).click()
  await expect(page.getByRole('heading', { name: 'Open a payment link' })).toBeVisible()
  await settle(page)
  await expectAccessible(page)

  // A picture without a code and a link to another site are refused; the right picture opens the request.
  const chooseFile = (name: string, buffer: Buffer) =>
    page.getByLabel('Choose a picture').last().setInputFiles({ name, mimeType: 'image/png', buffer })
  await chooseFile('none.png', await page.screenshot())
  await expect(page.getByText('We found no QR code in this picture.')).toBeVisible()
  await page.getByLabel('Or paste the link').fill('https://elsewhere.example/pay?data=abc')
  await page.getByRole('button', { name: 'Open' }).click()
  await expect(page.getByText('Paste the whole payment link')).toBeVisible()
  await chooseFile('code.png', picture)
  await expect(page).toHaveURL(url)
  await expect(page.getByRole('heading', { name: 'This is your own request' })).toBeVisible()

  // Scans by camera, in a browser whose fake camera shows the picture.
  const file = testInfo.outputPath('camera.y4m')
  fs.writeFileSync(file, await renderVideo(page, picture))
  const launch = await findBrowser()
  const cameraArguments = [
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-video-capture=${file}`,
  ]
  const browser = await chromium.launch({ ...launch, args: [...launch.args, ...cameraArguments] })
  const phone = await browser.newPage({ baseURL: new URL(url).origin })
  await phone.goto('/pay')
  await phone.getByRole('button', { name: 'Scan with the camera' }).click()
  await expect(phone).toHaveURL(url)
  await expect(phone.getByText('Harbour tour')).toBeVisible()
  await browser.close()
})
