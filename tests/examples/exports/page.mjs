// Loads pages in a browser, and fails if one of them complains, sends a request, or is wider than the window.
//
//     node page.mjs BROWSER FILE..
//
// PUPPETEER is the folder that has puppeteer-core; with PICTURES, each page is photographed into that folder.
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";

const load = createRequire(join(process.env.PUPPETEER, "node_modules/"));
const module = await import(pathToFileURL(load.resolve("puppeteer-core")));
const puppeteer = module.default ?? module;
const [executablePath, ...files] = process.argv.slice(2);
const faults = [];
let shown = 0;

const browser = await puppeteer.launch({ executablePath, headless: true, args: ["--no-sandbox", "--disable-gpu"] });
for (const file of files) {
    const url = pathToFileURL(file).href;
    for (const width of [375, 1600]) {
        for (const colour of ["light", "dark"]) {
            const place = `${basename(file)} at ${width}, ${colour}`;
            const fault = text => faults.push(`${place}: ${text}`);
            const page = await browser.newPage();
            page.on("console", message => fault(`console: ${message.text()}`));
            page.on("pageerror", error => fault(`error: ${error.message}`));
            page.on("dialog", dialog => { fault("dialog"); dialog.dismiss(); });
            page.on("request", request => {
                if (request.url() !== url && !request.url().startsWith("data:")) fault(`request: ${request.url()}`);
            });
            await page.setViewport({ width, height: 900 });
            await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: colour }]);
            await page.goto(url, { waitUntil: "load" });
            const seen = await page.evaluate(() => ({
                wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
                back: getComputedStyle(document.body).backgroundColor,
                title: document.title,
                heading: document.querySelector("h1").textContent,
                rows: document.querySelectorAll("tbody tr").length,
                foreign: document.querySelectorAll("img, iframe, svg, object, embed, form").length,
                scripts: document.scripts.length,
                small: [...document.querySelectorAll("td, p, code, dd")].filter(part => parseFloat(getComputedStyle(part).fontSize) < 12).length,
            }));
            if (seen.wide > 0) fault(`${seen.wide} pixels too wide`);
            if (seen.title !== seen.heading) fault(`the title became ${seen.title}`);
            if (seen.foreign > 0 || seen.scripts !== 1) fault("foreign elements");
            if (seen.small > 0) fault("texts that are too small");
            if (seen.rows === 0) fault("no rows");
            if ((seen.back === "rgb(255, 255, 255)") !== (colour === "light")) fault(`background ${seen.back}`);
            if (process.env.PICTURES) {
                await page.screenshot({ path: join(process.env.PICTURES, `${basename(file, ".html")}-${width}-${colour}.png`) });
            }
            const count = () => page.evaluate(() => [...document.querySelectorAll("tbody tr, .pattern")].filter(row => row.checkVisibility()).length);
            const before = await count();
            await page.type("input[type=search]", "no text has this word");
            if (await count() !== 0) fault("a search hides nothing");
            await page.$eval("input[type=search]", input => { input.value = ""; input.dispatchEvent(new Event("input")); });
            if (await count() !== before) fault("a search that is over hides rows");
            await page.close();
            shown += 1;
        }
    }
}
await browser.close();
console.log(`${shown} views of ${files.length} pages`);
if (faults.length > 0) {
    console.error(faults.join("\n"));
    process.exit(1);
}
