(function () {
  "use strict";
  var form = document.getElementById("filter");
  if (!form) return;
  var words = document.getElementById("words"), kind = document.getElementById("kind"), confirmed = document.getElementById("confirmed"), shown = document.getElementById("shown");
  var sections = Array.from(document.querySelectorAll("section.kind")).map(function (s) {
    return { at: s, kind: s.dataset.kind, all: Array.from(s.querySelectorAll("article")).map(function (a) {
      return { at: a, text: a.textContent.toLowerCase(), sure: "confirmed" in a.dataset };
    }) };
  });
  function filter() {
    var want = words.value.toLowerCase().split(/\s+/), n = 0, of = 0;
    sections.forEach(function (s) {
      var some = 0, fits = !kind.value || s.kind === kind.value;
      s.all.forEach(function (a) {
        var show = fits && (a.sure || !confirmed.checked) && want.every(function (w) { return a.text.includes(w); });
        a.at.hidden = !show;
        if (show) some++;
      });
      s.at.hidden = some === 0;
      n += some;
      of += s.all.length;
    });
    shown.textContent = n.toLocaleString("en") + " of " + of.toLocaleString("en");
  }
  form.addEventListener("input", filter);
  form.addEventListener("submit", function (e) { e.preventDefault(); });
  form.hidden = false;
  filter();
})();
