// Before the page is painted: the build has drawn the scene that it opens with, and a link may ask for another one.
if (location.search) document.documentElement.dataset.link = '';
