"use strict";
const search = document.querySelector("input");
const parts = Array.from(document.querySelectorAll("tbody tr, .pattern, .lint"), part => [part, part.textContent.toLowerCase()]);
const blocks = Array.from(document.querySelectorAll(".block"));
const sections = Array.from(document.querySelectorAll("section"));
const found = document.querySelector("#found");
function show() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const [part, text] of parts) {
        part.hidden = !words.every(word => text.includes(word));
        if (!part.hidden) count += 1;
    }
    for (const block of blocks) block.hidden = words.length > 0 && !block.querySelector("tbody tr:not([hidden]), .pattern:not([hidden]), .lint:not([hidden])");
    for (const section of sections) section.hidden = words.length > 0 && !section.querySelector(".block:not([hidden])");
    found.textContent = words.length ? count + " found" : "";
}
search.addEventListener("input", show);
search.hidden = false;
show();
